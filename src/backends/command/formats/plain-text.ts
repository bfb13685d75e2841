import type { OutputFormat } from '../agent-fact.js';

/** Characters kept of an answer that is the whole output. */
const longestAnswer = 4 * 1024 * 1024;

/** Program that prints its answer, and whose exit status says if there is one. */
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
