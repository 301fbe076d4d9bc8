/** Section 8: older entries are deleted automatically. */
export const retentionMilliseconds = 30 * 86_400_000;
