import { stripStyles } from '../../diagnostic/terminal-text.js';

/** Characters of outputs in the reason of a failure; the files have all of it. */
const reasonKept = 2000;
const outputMark = '\nstandard output:\n';

/** The reason with the last lines of both streams, as plain text; one stream has the room that the other leaves. */
export function failureText(what: string, stderr: string, stdout: string): string {
  const errors = stripStyles(stderr).trim();
  const output = stripStyles(stdout).trim();
  if (errors === '' && output === '') return what;
  if (errors === '' || output === '') return `${what}: ${tailOf(errors + output, reasonKept)}`;
  const errorTail = tailOf(errors, Math.max(reasonKept / 2, reasonKept - output.length));
  return `${what}: ${errorTail}${outputMark}${tailOf(output, reasonKept - errorTail.length)}`;
}

/** The same reason where the output is shown next to it: without the lines of standard output that it ends with. */
export function withoutOutput(reason: string, stdout: string): string {
  const output = stripStyles(stdout).trim();
  for (const mark of [outputMark, ': ']) {
    for (let at = reason.indexOf(mark); at !== -1; at = reason.indexOf(mark, at + 1)) {
      const said = reason.slice(at + mark.length).replace(/^…/, '');
      if (said !== '' && output.endsWith(said)) return reason.slice(0, at);
    }
  }
  return reason;
}

/** Tail of a text: as many of its last lines as fit into `most` characters, or the end of a very long line. */
function tailOf(text: string, most: number): string {
  if (text.length <= most) return text;
  // With the sign before it, which says whether a line begins there.
  const lineEnd = text.slice(-most - 1).indexOf('\n');
  const isNear = lineEnd !== -1 && lineEnd < most / 2;
  const tail = text.slice(-most);
  return isNear ? tail.slice(lineEnd).trimStart() : `…${tail}`;
}
