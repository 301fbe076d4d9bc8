export const topicNames = ['flags', 'environment', 'exit-codes', 'formats', 'csv', 'tags', 'filters'] as const;
export type TopicName = (typeof topicNames)[number];

export function isTopicName(word: string): word is TopicName {
  return topicNames.some((name) => name === word);
}
