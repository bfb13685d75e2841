/**
 * Lines that `jq` can print, if they are written in its program (`jq -r 'if .ok then "PASS" else "FAIL" end'`), or if the text that it
 * reads is known (`echo '{"ok": true}' | jq .ok`). Undefined where its input decides.
 * @param text the command as it is written
 * @param input command that writes what it reads, as it is written
 */
export function jqLines(text: string, input: string | undefined): readonly string[] | undefined {
  const call =
    /^jq((?:\s+(?:-[rnesc]+|--(?:raw-output|null-input|exit-status|compact-output|slurp)))*)\s+(.*)$/s.exec(
      text,
    );
  if (call === null) return undefined;
  const [, options = '', rest = ''] = call;
  const program = /^'([^']*)'/.exec(rest)?.[1] ?? /^(\.[\w.]*)(?=\s|$)/.exec(rest)?.[1];
  if (program === undefined) return undefined;
  const isRaw = /\s-\w*r|--raw-output/.test(options);
  const values =
    resultsOf(program) ??
    (/\s-\w*[ns]|-(?:null-input|slurp)/.test(options) ? undefined : lookUp(program, input));
  return values?.map((value) => (isRaw && typeof value === 'string' ? value : JSON.stringify(value)));
}

/** A text of a program, or a word or sign of it. */
const token = /\s*("(?:[^"\\]|\\["/])*"|[\w$@.]+|[^\s"])/y;

/** Texts to which a program comes, if they are written in it. */
function resultsOf(program: string): readonly string[] | undefined {
  const tokens = tokensOf(program);
  if (tokens === undefined) return undefined;
  const begin = tokens.indexOf('if');
  if (begin < 0) return tokens.length === 1 ? textsOf(tokens) : undefined;
  const before = tokens.slice(0, begin);
  if (before.length > 0 && (before.at(-1) !== '|' || !isWhole(before))) return undefined;
  return branchesOf(tokens.slice(begin));
}

/** Results of `if … then "a" elif … then "b" else "c" end`, which is all of the tokens. */
function branchesOf(tokens: readonly string[]): readonly string[] | undefined {
  const results: string[] = [];
  let keyword = 'if';
  for (let at = 0; at < tokens.length; ) {
    if (tokens[at] !== keyword) return undefined;
    if (keyword === 'end') return at === tokens.length - 1 ? textsOf(results) : undefined;
    // What is tested may be anything but another `if`.
    if (keyword !== 'else') at = tokens.findIndex((one, index) => index > at && keywords.has(one));
    if (keyword !== 'else' && tokens[at] !== 'then') return undefined;
    results.push(tokens[at + 1] ?? '');
    at += 2;
    const next = tokens[at] ?? '';
    // Without `else`, it comes to what it was given.
    keyword = keyword === 'else' ? 'end' : next === 'elif' ? next : 'else';
  }
  return undefined;
}

const keywords: ReadonlySet<string> = new Set(['if', 'then', 'elif', 'else', 'end']);

/** True if all brackets are closed again. */
function isWhole(tokens: readonly string[]): boolean {
  const count = (some: string): number => tokens.filter((one) => some.includes(one)).length;
  return ['()', '[]', '{}'].every(([open = '', close = '']) => count(open) === count(close));
}

function textsOf(tokens: readonly string[]): readonly string[] | undefined {
  const isText = tokens.every((one) => one.startsWith('"'));
  return isText ? tokens.map((one): string => JSON.parse(one)) : undefined;
}

function tokensOf(program: string): readonly string[] | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  const text = program.trimEnd();
  while (token.lastIndex < text.length) {
    const found = token.exec(text)?.[1];
    if (found === undefined) return undefined;
    tokens.push(found);
  }
  return tokens;
}

/** Value of a path in a text that `echo` writes. Undefined for a number: versions of `jq` print `1.0` in two ways. */
function lookUp(program: string, input: string | undefined): readonly unknown[] | undefined {
  const written = /^echo\s+'([^'\\]*)'$/.exec(input ?? '')?.[1];
  if (written === undefined || !/^(?:\.\w+)+$/.test(program)) return undefined;
  try {
    let value: unknown = JSON.parse(written);
    for (const name of program.slice(1).split('.')) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
    }
    return typeof value === 'number' || (typeof value === 'object' && value !== null) ? undefined : [value];
  } catch {
    return undefined;
  }
}
