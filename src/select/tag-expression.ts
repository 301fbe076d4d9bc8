import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Session } from '../cli/session.ts';
import { foldLabel, hasOperators, labelExpression } from '../contract/tag-label.ts';

/**
 * What must be said before a tag expression is used. Tag selections act on all domains and the server ignores `domain` (4.1.7): one
 * that was named is refused, never ignored. An expression that is also the label of a tag selects something else than that tag (W4).
 */
export async function checkTagExpression(expression: string, session: Session): Promise<void> {
  if (session.domainNamed) {
    throw new UsageError(
      'specify only one of --domain or --by-tags: tag selections act on all domains, the server ignores domain',
    );
  }
  if (session.domain !== undefined) {
    await session.warn(`tag selections act on all domains, not only on ${session.domain}`);
  }
  if (!hasOperators(expression)) return;
  const { tags } = await session.client.send('listTags', {});
  const tag = tags.find(({ label }) => foldLabel(label) === foldLabel(expression));
  if (!tag) return;
  await session.warn(
    `--by-tags ${shellWord(expression)} is interpreted as an expression, but a tag has this label. To select the tag: --by-tags ${shellWord(labelExpression(tag.label))}`,
  );
}
