import { type Diagnostic, findingKind, isQuiet } from './diagnostic.js';
import { groupBy } from './group-by.js';

/** Findings of one cause in a file, in the order of the text. */
export interface FindingGroup {
  /** Findings to show; the first of the group is among them. */
  readonly shown: readonly Diagnostic[];
  /** Findings to list by their lines. */
  readonly rest: readonly Diagnostic[];
  /** True if the cause was shown in full often enough, for other files: a message suffices for this one. */
  readonly isBrief: boolean;
}

/** Findings of a group that are shown in full if there are more than `smallGroup`. */
const shownOfGroup = 2;
/** Number of findings for which a list of lines would save nothing. */
const smallGroup = 3;
/** Findings of one cause that are shown in full over all files; every file shows one at least. */
const shownOfCause = 6;

/**
 * Groups findings by their cause: by rule, severity and message, where messages may differ in the names that they quote. Quiet ones are left out.
 * @param shownBefore counts the findings of each cause that were shown for other files; is updated
 */
export function groupFindings(
  diagnostics: readonly Diagnostic[],
  shownBefore: Map<string, number> = new Map(),
): readonly FindingGroup[] {
  return [
    ...groupBy(
      diagnostics.filter((one) => !isQuiet(one)),
      causeOf,
    ),
  ].map(([cause, group]) => {
    const before = shownBefore.get(cause) ?? 0;
    const wanted = group.length <= smallGroup ? group.length : shownOfGroup;
    const count = Math.max(1, Math.min(wanted, shownOfCause - before));
    shownBefore.set(cause, before + count);
    return { shown: group.slice(0, count), rest: group.slice(count), isBrief: before >= shownOfCause };
  });
}

/** Key of all findings that say the same, about whatever names and numbers. */
function causeOf(diagnostic: Diagnostic): string {
  const message = diagnostic.message
    .replaceAll(quoted, '"')
    .replaceAll(/"(?:(?:, | -> | and )(?:"|…|\d+ more))+/g, '"')
    .replaceAll(/\d+/g, '0');
  return `${diagnostic.severity} ${findingKind(diagnostic)} ${message}`;
}

const quoted = /"(?:[^"\\]|\\.)*"/g;

/**
 * Finds the quoted name that tells a finding from another one of its cause.
 * @returns undefined if they say the same, and for syntax, where the line says enough
 */
export function differingName(diagnostic: Diagnostic, from: Diagnostic): string | undefined {
  if (diagnostic.message === from.message || diagnostic.rule === 'syntax') return undefined;
  const others = from.message.match(quoted) ?? [];
  return diagnostic.message.match(quoted)?.find((name, index) => name !== others[index]);
}
