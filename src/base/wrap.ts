/** A longer word gets a line of its own. Lines that begin with a space are kept. */
export function wrap(text: string, width: number): string[] {
  // All letters and emoji of two columns, and a few others, so that a line may break early. `displayWidth` is exact, but large.
  const wide = /[\u1100-\u115f\u2e80-\uffe6]|\p{Emoji_Presentation}/gu;
  return text.split('\n').flatMap((paragraph) => {
    if (paragraph.startsWith(' ')) return [paragraph];
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line && `${line} ${word}`.replace(wide, '  ').length > width) {
        lines.push(line);
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    return [...lines, line];
  });
}
