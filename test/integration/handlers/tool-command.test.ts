import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/graph/json.js';
import { Context } from '../../../src/handlers/context.js';
import type { Stage } from '../../../src/handlers/handler.js';
import { toolCommand } from '../../../src/handlers/tools/tool-command.js';
import { persistentMap } from '../../../src/machine/persistent.js';
import { pipeline, programOf } from '../../run/harness.js';
import { fc } from '../../support/fast-check.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** The stage of a tool with this command, as far as its command needs one. */
function stageOf(command: string, context: Readonly<Record<string, JsonValue>>): Stage {
  const written = JSON.stringify(command);
  const node = programOf(
    pipeline(`t [shape=parallelogram, prompt="", tool_command=${written}]`, 'start -> t -> exit'),
  ).nodes.get('t')?.node;
  const values = persistentMap<string, JsonValue>().withMutations((mutable) => {
    for (const [key, value] of Object.entries(context)) mutable.set(key, value);
  });
  const stage: Pick<Stage, 'context' | 'log'> & { node: unknown } = {
    node,
    context: new Context(values, () => undefined),
    log: () => undefined,
  };
  return stage as Stage;
}

/** `/bin/sh` is another shell on other systems. */
const shells = new Set(
  ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/ksh', '/bin/zsh']
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file)),
);

/** What a command prints in a directory of its own, in which nothing may have been created. */
function output(shell: string, command: string, value: JsonValue): string {
  const directory = temporaryDirectory();
  const tool = toolCommand(stageOf(command, { v: value }));
  // Where zsh is the `/bin/sh`, it is called by that name, and behaves so.
  const options = /zsh\d*$/.test(shell) ? ['--emulate', 'sh', '-c'] : ['-c'];
  const { stdout, stderr, status } = spawnSync(shell, [...options, tool.command], {
    cwd: directory,
    env: { PATH: process.env.PATH, ...tool.environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect({ stderr, status, created: readdirSync(directory) }).toEqual({ stderr: '', status: 0, created: [] });
  return stdout;
}

const same = (value: string): string => value;
/** What a command substitution makes of it. */
const trimmed = (value: string): string => value.replace(/\n+$/, '');
const line = (value: string): string => `${value}\n`;

/** A place in a command, and what it prints of the value. */
const places: readonly (readonly [name: string, command: string, printed: (value: string) => string])[] = [
  ['unquoted', "printf '%s' ${context.v}", same],
  ['within a word', "printf '%s' a${context.v}b", (value) => `a${value}b`],
  ['twice', "printf '%s|%s' ${context.v} ${context.v}", (value) => `${value}|${value}`],
  ['directly after itself', "printf '%s' ${context.v}${context.v}", (value) => value + value],
  ['in double quotes', 'printf \'%s\' "a ${context.v} b"', (value) => `a ${value} b`],
  ['in single quotes', "printf '%s' 'a ${context.v} b'", (value) => `a ${value} b`],
  ['in an assignment', 'x=${context.v}; printf \'%s\' "$x"', same],
  ['in $(…)', "printf '%s' \"$(printf '%s' ${context.v})\"", trimmed],
  [
    'in quotes in $(…) in quotes',
    'printf \'%s\' "a$(printf \'%s\' "${context.v}")"',
    (v) => `a${trimmed(v)}`,
  ],
  ['in single quotes in $(…) in quotes', "printf '%s' \"$(printf '%s' '${context.v}')\"", trimmed],
  ['in backticks', "x=`printf '%s' ${context.v}`; printf '%s' \"$x\"", trimmed],
  ['in backticks in quotes', 'printf \'%s\' "`printf \'%s\' "${context.v}"`"', trimmed],
  ['in a here-document', 'cat <<EOF\na \'" ${context.v}\nEOF\n', (value) => `a '" ${value}\n`],
  ['in a here-document without tabs', 'cat <<-EOF\n\t${context.v}\n\tEOF\n', line],
  ['in $(…) in a here-document', "cat <<EOF\n$(printf '%s' ${context.v})\nEOF\n", (v) => line(trimmed(v))],
  ['in a here-document in $(…)', 'printf \'%s\' "$(cat <<EOF\n${context.v}\nEOF\n)"', trimmed],
  ['after a here-document', "cat <<'EOF' >/dev/null\nit's \"\nEOF\nprintf '%s' ${context.v}", same],
  ['after two here-documents', "cat <<A <<B >/dev/null\n'\nA\n\"\nB\nprintf '%s' ${context.v}", same],
  ['after a comment', "# it's ${context.v}\nprintf '%s' ${context.v}", same],
  ['after what is not a comment', "printf '%s' a#'b'${context.v}", (value) => `a#b${value}`],
  ['after a backslash', "printf '%s' \\'${context.v}\\\"", (value) => `'${value}"`],
  ['after backslashes', "printf '%s' \\\\${context.v}", (value) => `\\${value}`],
  ['after a dollar sign', 'printf \'%s\' "\\$${context.v}"', (value) => `$${value}`],
  ['as a default', "printf '%s' ${no_such_variable:-${context.v}}", same],
  ['as a default in quotes', 'printf \'%s\' "${no_such_variable:-${context.v}}"', same],
  ['after other expansions', 'y="it\'s"; x=${y#"it\'"}; printf \'%s\' "${x}"${context.v}', (v) => `s${v}`],
  ['after arithmetic', "x=$(( (1 + 2) * 3 )); printf '%s' $x${context.v}", (value) => `9${value}`],
  [
    'after case in $(…)',
    'x=$(case ab in (x) echo no;; a*) echo yes; esac); printf \'%s\' "$x ${context.v}"',
    (value) => `yes ${value}`,
  ],
  ['in case in $(…)', "printf '%s' \"$(case a in a) printf '%s' ${context.v};; esac)\"", trimmed],
  ['as the word of case', "case ${context.v} in *) printf '%s' ${context.v};; esac", same],
  ['in a function', 'f() { printf \'%s\' "$1"; }; f ${context.v}', same],
  ['in a subshell', "( printf '%s' ${context.v} )", same],
  ['in a list of a loop', 'for x in ${context.v} b; do printf \'%s,\' "$x"; done', (value) => `${value},b,`],
  ['after a pipe', 'printf \'%s\' "${context.v}"|cat', same],
  ['in an argument of another shell', 'sh -c \'printf "%s" "$1"\' sh ${context.v}', same],
];

/** Whatever a shell might make something of. */
const hostile: readonly string[] = [
  '',
  ' ',
  '-rf',
  '--',
  '*',
  '?',
  '~',
  '$(touch x)',
  '`touch x`',
  '${x:=$(touch x)}',
  '; touch x',
  '& touch x',
  '| touch x',
  '&& touch x #',
  '\n touch x \n',
  "'; touch x; '",
  '"; touch x; "',
  '\'"; touch x; "\'',
  '\\',
  '\\\\"',
  "it's",
  'a  b\t c',
  '> x',
  '$HOME',
  '$$',
  '!!',
  '#',
  'EOF',
  '\nEOF\ntouch x\n',
  ') touch x',
  '}; touch x',
  '))',
  ';; esac; touch x',
  '%s%n',
  '${context.v}',
  'ü€😀\u0081\u0088\u00ff',
  'a\r\nb',
];

/** One process a value is much: most of them go together. */
const values = [hostile.join(''), hostile.join(' '), '', '-rf', '*', '~', '\n EOF\n\n'];

describe('§12 Values at run time: in a tool_command a value is data, whatever surrounds it', () => {
  describe.each([...shells])('%s', (shell) => {
    test.each(places)('%s', (_name, command, printed) => {
      for (const value of values) expect(output(shell, command, value)).toBe(printed(value));
    });
  });
});

/** A piece of a command, and what the shell makes of it. */
interface Piece {
  readonly text: string;
  readonly read: (value: string) => string;
}

const reference: Piece = { text: '${context.v}', read: same };
const fixed = (text: string, read: string): Piece => ({ text, read: () => read });
const around = (before: string, inner: Piece, after: string, read = same): Piece => ({
  text: before + inner.text + after,
  read: (value) => read(inner.read(value)),
});
const joined = (pieces: readonly Piece[]): Piece => ({
  text: pieces.map(({ text }) => text).join(''),
  read: (value) => pieces.map(({ read }) => read(value)).join(''),
});

/** Words of a command in which quotes, substitutions and here-documents are nested in one another. */
const { word } = fc.letrec<{ word: Piece; quoted: Piece; substitution: Piece }>((tie) => ({
  word: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(
          reference,
          reference,
          joined([fixed('\'a"$(`', 'a"$(`'), reference, fixed("\\'", '\\')]),
          fixed('b', 'b'),
          fixed('\\"', '"'),
          fixed("\\'", "'"),
          fixed('\\${context.v}', '${context.v}'),
          fixed('$${context.v}', '${context.v}'),
          fixed("'$${context.v}'", '${context.v}'),
          fixed('$((1+(2)))', '3'),
          fixed('${#}', '0'),
          fixed("${none:-it\\'s}", "it's"),
          around('${none-', reference, '}'),
        ),
        tie('quoted').map((inner) => around('"', inner, '"')),
        tie('substitution').map((inner) => around('"', inner, '"')),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map(joined),
  quoted: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom(
          reference,
          reference,
          joined([fixed("it's ", "it's "), reference, fixed(" #'", " #'")]),
          fixed('\\\\', '\\'),
          fixed('\\${context.v}', '${context.v}'),
          fixed('$${context.v}', '${context.v}'),
          around('${none:-', reference, '}'),
        ),
        tie('substitution'),
      ),
      { maxLength: 3 },
    )
    .map(joined),
  substitution: fc.oneof(
    tie('word').map((inner) => around("$(printf '%s' ", inner, ')', trimmed)),
    tie('word').map((inner) => around("$( # isn't )\n printf '%s' ", inner, '; )', trimmed)),
    tie('word').map((inner) => around("$(case a in b) ;; (a) printf '%s' ", inner, ';; esac)', trimmed)),
    tie('word').map((inner) => around("$( (if true; then printf '%s' ", inner, '; fi) )', trimmed)),
    fc
      .tuple(tie('quoted'), fc.nat({ max: 1e6 }))
      .map(([inner, id]) => around(`$(cat <<E${id}\n`, inner, `\nE${id}\n)`, trimmed)),
    fc.constant(around("$(cat <<-'E' <<F\n\tit's \"\n\tE\n", reference, '\nF\n)', trimmed)),
    fc.constant(around("`printf '%s' ", reference, '`', trimmed)),
    fc.constant(around("`printf '%s' \"", reference, '"`', trimmed)),
  ),
}));

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(...hostile, ...'\'"`$\\(){}[]<>|&;#*?~!=%^ \t\n\r'),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  ),
  { maxLength: 6 },
);
const anyValue = pieces.map((parts) => parts.join('').replaceAll('\0', ''));

test.each([...shells])(
  '§12 Values at run time: any value comes out of any command as it went in: %s',
  (shell) => {
    fc.assert(
      fc.property(word, anyValue, ({ text, read }, value) => {
        expect(output(shell, `printf '%s' ${text}`, value)).toBe(read(value));
      }),
      { numRuns: 60 },
    );
  },
  120_000,
);
