import type { Place } from './read-test-list.js';

/** A difference between what a case expects and what it saw. */
export interface Mismatch {
  readonly message: string;
  readonly place: Place;
}

export interface CaseResult {
  readonly passed: boolean;
  /** Duration in milliseconds. */
  readonly duration: number;
  readonly mismatches: readonly Mismatch[];
}

/** Results of a test file as `attractor test --format json` prints them. */
export interface FileResults {
  /** By the name of the case. */
  readonly cases: ReadonlyMap<string, CaseResult>;
  /** Reasons why cases could not be played, in words. */
  readonly problems: readonly string[];
}

/**
 * Reads what `attractor test FILE --format json` has printed.
 * @param stderr its words, which explain a result that is not JSON
 */
export function readResults(stdout: string, stderr: string): FileResults {
  const files = filesIn(stdout);
  if (files === undefined) {
    const said = (stderr.trim() || stdout.trim()).slice(0, longestProblem);
    return { cases: new Map(), problems: [said === '' ? 'attractor test printed nothing' : said] };
  }
  const cases = new Map<string, CaseResult>();
  const problems: string[] = [];
  for (const file of files) {
    for (const one of list(file.cases)) cases.set(text(one.name), caseResult(one));
    for (const one of list(file.diagnostics))
      problems.push(`line ${place(one).line + 1}: ${text(one.message)}`);
  }
  return { cases, problems };
}

const longestProblem = 4000;

function filesIn(stdout: string): readonly JsonObject[] | undefined {
  try {
    const parsed: unknown = JSON.parse(stdout);
    return isObject(parsed) && Array.isArray(parsed.files) ? list(parsed.files) : undefined;
  } catch {
    return undefined;
  }
}

function caseResult({ passed, duration_ms, reason, status, mismatches }: JsonObject): CaseResult {
  const found = list(mismatches).map((one): Mismatch => ({ message: mismatchText(one), place: place(one) }));
  const isPassed = passed === true;
  // A case without expectations fails with its run.
  const ended = text(reason) === '' ? `the run ended as ${text(status)}` : text(reason);
  const mismatchesOrEnd =
    found.length === 0 && !isPassed ? [{ message: ended, place: { line: 0, column: 0 } }] : found;
  return {
    passed: isPassed,
    duration: typeof duration_ms === 'number' ? duration_ms : 0,
    mismatches: mismatchesOrEnd,
  };
}

function mismatchText({ message, diff }: JsonObject): string {
  return typeof diff === 'string' && diff !== '' ? `${text(message)}\n${diff}` : text(message);
}

type JsonObject = Readonly<Record<string, unknown>>;

function place({ line, column }: JsonObject): Place {
  const from0 = (one: unknown): number => (typeof one === 'number' && one >= 1 ? one - 1 : 0);
  return { line: from0(line), column: from0(column) };
}

function list(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
