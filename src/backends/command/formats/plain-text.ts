import type { OutputFormat } from '../agent-fact.js';

/** Of an answer that is all of the output, so much is kept. */
const longestAnswer = 4 * 1024 * 1024;

/** A program that prints its answer, and whose exit status says whether there is one. */
export const plainText: OutputFormat = {
  name: 'text',
  usageTime: 'never',
  reader() {
    const lines: string[] = [];
    let size = 0;
    let isWhole = true;
    return {
      line(text, isCut) {
        size += text.length + 1;
        isWhole &&= !isCut && size <= longestAnswer;
        if (isWhole) lines.push(text);
        return [{ kind: 'text', text: `${text}\n` }];
      },
      end(hasEndedWell) {
        const text = lines.join('\n').trim();
        if (!hasEndedWell) return [];
        return [{ kind: 'finished', text, isCutOff: !isWhole }];
      },
    };
  },
};
