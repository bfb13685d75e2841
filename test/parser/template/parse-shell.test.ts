// biome-ignore-all lint/suspicious/useIterableCallbackReturn: every kind is a case, as the compiler checks.

import { describe, expect, test } from 'vitest';
import { parseShellTemplate } from '../../../src/parser/template/parse-shell.js';
import { fc } from '../../support/fast-check.js';

/** The command with `<quoting>` or `<place>` where a value stands. */
function outline(text: string): string {
  return parseShellTemplate(text)
    .parts.map((part) => {
      switch (part.kind) {
        case 'literal':
          return part.text;
        case 'value':
          return `<${part.quoting}>`;
        case 'malformed':
          return `!${part.text}`;
        case 'refused':
          return `<${part.place}>`;
      }
    })
    .join('');
}

/** `@` stands for a value. */
const at = (text: string): string => text.replaceAll('@', '${context.v}');

describe('§12 Values at run time: how the shell quotes the place of a value', () => {
  test.each([
    ['echo @', 'echo <unquoted>'],
    ['echo "@ \\" @"', 'echo "<double> \\" <double>"'],
    ["echo '@ \\' @", "echo '<single> \\' <unquoted>"],
    ["echo \\' @ \\\\@", "echo \\' <unquoted> \\\\<unquoted>"],
    ['echo \\@', 'echo \\${context.v}'],
    ['echo "\\@"', 'echo "\\${context.v}"'],
    ['echo \\$@', 'echo \\$<unquoted>'],
    ["# it's @\necho @", "# it's ${context.v}\necho <unquoted>"],
    ["echo a#' @'", "echo a#' <single>'"],
    ["echo;# it's\necho @", "echo;# it's\necho <unquoted>"],
    ['echo $# "@"', 'echo $# "<double>"'],
    ["echo $$'@'", "echo $$'<single>'"],
    ['x="$(echo @ "@")@"', 'x="$(echo <unquoted> "<double>")<double>"'],
    ["x=\"$(echo ')' '@')\"@", "x=\"$(echo ')' '<single>')\"<unquoted>"],
    ['x=`echo @` "`echo "@"`" @', 'x=`echo <unquoted>` "`echo "<double>"`" <unquoted>'],
    ['$(case x in x) "@";; esac) @', '$(case x in x) "<double>";; esac) <unquoted>'],
    ['"$(echo case x) @"', '"$(echo case x) <double>"'],
    ['$((@ + $(echo @)))', '$((<arithmetic> + $(echo <unquoted>)))'],
    ['echo $((1)) "@"', 'echo $((1)) "<double>"'],
    ['((@ > 1)) || echo @', '((<arithmetic> > 1)) || echo <unquoted>'],
    ['((echo "a"); b) "@"', '((echo "a"); b) "<unclear>"'],
    ['((echo a); b) "@"', '((echo a); b) "<double>"'],
    ['a[@]=1', 'a[<arithmetic>]=1'],
    ['[ @ -gt 1 ]', '[ <unquoted> -gt 1 ]'],
    ['${x:-@} "${x:-@}"', '${x:-<unquoted>} "${x:-<double>}"'],
    [
      '${x#@} "${x#@}" ${x:@} ${x/@/}',
      '${x#<unquoted>} "${x#<parameter_expansion>}" ${x:<parameter_expansion>} ${x/<parameter_expansion>/}',
    ],
    ['${x:"1"} @', '${x:"1"} <unclear>'],
    ['"${x:-"y"}" @', '"${x:-"y"}" <unclear>'],
    ["${x:-'y}'} @", "${x:-'y}'} <unquoted>"],
    ["echo $'a@b' @", "echo $'a<ansi_string>b' <unquoted>"],
    ["echo $'it\\'s' @", "echo $'it\\'s' <unclear>"],
    ['`echo \\"@\\"` @', '`echo \\"<backticks>\\"` <unquoted>'],
    ['cat <<E\n" @\nE\n@', 'cat <<E\n" <double>\nE\n<unquoted>'],
    ["cat <<E # '\n@\n\tE\nE\n@", "cat <<E # '\n<double>\n\tE\nE\n<unquoted>"],
    ["cat <<'E'\n@\nE\n'@'", "cat <<'E'\n<quoted_here_document>\nE\n'<single>'"],
    ['cat <<\\E\n@\nE\n@', 'cat <<\\E\n<quoted_here_document>\nE\n<unquoted>'],
    ['cat <<"E F"\n\'\nE F\n@', 'cat <<"E F"\n\'\nE F\n<unquoted>'],
    ['cat <<@\nx\n', 'cat <<<here_document_delimiter>\nx\n'],
    ['cat <<A; cat <<-B\n\'\nA\n"\n\tB\n@', 'cat <<A; cat <<-B\n\'\nA\n"\n\tB\n<unquoted>'],
    ['cat <<E\na\\\nE\n"@\nE\n"@"', 'cat <<E\na\\\nE\n"<double>\nE\n"<double>"'],
    ['cat <<E\n$(echo\nE\n) @', 'cat <<E\n$(echo\nE\n) <unclear>'],
    ["$(cat <<E)\n'\nE\n@", "$(cat <<E)\n'\nE\n<unclear>"],
    ["`cat <<'E'`@ x", "`cat <<'E'`<unclear> x"],
    ["cat <<< '@'", "cat <<< '<single>'"],
    ['echo ) "@"', 'echo ) "<double>"'],
    ['echo "@', 'echo "<double>'],
  ])('%j', (text, outlined) => expect(outline(at(text))).toBe(outlined));
});

describe('§12 Values at run time: shell variables and other dollar signs survive', () => {
  test.each([
    '${HOME} $HOME ${HOME:-x} ${x%%.*} $1 $$ $? $! "$@"',
    "awk '{ print $1 }' | sed 's/$/x/'",
    'for f in *.txt; do echo "${f%.txt}"; done',
    '$$${HOME}',
    'x=$((x + ${#y}))',
    '',
  ])('%j', (text) => expect(outline(text)).toBe(text));
});

describe('$${path} is the text ${path}, whatever surrounds it', () => {
  test.each([
    ['echo $@', 'echo \\${context.v}'],
    ['echo "$@"', 'echo "\\${context.v}"'],
    ["echo '$@'", "echo '${context.v}'"],
    ["cat <<'E'\n$@\nE", "cat <<'E'\n${context.v}\nE"],
    ['cat <<E\n$@\nE', 'cat <<E\n\\${context.v}\nE'],
    ['echo $$@', 'echo $$<unquoted>'],
    ['# $@', '# $${context.v}'],
    ['`echo $@`', '`echo <backticks>`'],
  ])('%j', (text, outlined) => expect(outline(at(text))).toBe(outlined));
});

test('what only begins like a value is left alone, and marked', () => {
  expect(outline("echo ${context.a-b} '${context.x y}' ${context.v:-'@'}")).toBe(
    "echo !${context.a-b} '!${context.x y}' !${context.v:-'@'}",
  );
});

const fragments = fc.constantFrom(
  ...'$\'"`\\(){}#\n \t;<-|&',
  '$(',
  '${',
  '$((',
  '<<E\n',
  '\nE\n',
  "<<'E'",
  'case a in ',
  'esac',
  'E',
  'x',
  '${context.v}',
  '$${context.v}',
  '${context.a-b}',
  '${x:-',
  "$'",
);
const texts = fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join(''));

test('no text makes it throw or lose a character', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { parts } = parseShellTemplate(text);
      expect(parts.map(({ span }) => text.slice(span.start, span.end)).join('')).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test('deep nesting makes the rest unclear, and long texts are read in one go', () => {
  expect(outline(`${'$('.repeat(100_000)} ${at('@')}`)).toMatch(/<unclear>$/);
  expect(outline(at(`${'\'\' "" `` $x '.repeat(50_000)}@`))).toMatch(/<unquoted>$/);
});
