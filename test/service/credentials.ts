/** What every service of these tests is started with. */
export const username = 'ada';
export const apiKey = 'f3a9c1d2e4b5061728394a5b6c7d8e9f';
