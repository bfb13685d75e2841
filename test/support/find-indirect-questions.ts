export interface FoundComments {
  /** Number of doc comments. */
  readonly count: number;
  /** Doc comments that begin as an indirect question: `line: first line`. */
  readonly questions: readonly string[];
}

const asks = /^(?:What|How|Whether|Where|Of|By|When|Who|Whom|Whose|Which|Why|As|In|To be)\b/;

/** The doc comments of a source text that begin with a question word instead of a noun or a verb. */
export function findIndirectQuestions(text: string): FoundComments {
  const comments = [...text.matchAll(/\/\*\*(.*?)\*\//gs)];
  const questions = comments.flatMap(({ 1: comment = '', index }) => {
    const words = comment.replace(/^\s*\*\s?/gm, '').trim();
    return asks.test(words) ? [`${text.slice(0, index).split('\n').length}: ${words.split('\n', 1)}`] : [];
  });
  return { count: comments.length, questions };
}
