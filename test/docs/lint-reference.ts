import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exampleFiles, isExampleInstalled } from '../../src/cli/explain/example-files.js';
import { compile } from '../../src/compiler/compile.js';
import type { Severity } from '../../src/diagnostic/diagnostic.js';
import { renderPretty } from '../../src/diagnostic/render-pretty.js';
import { readingRules } from '../../src/lint/reading-rules.js';
import type { RuleDescription } from '../../src/lint/rule.js';
import { builtInRules } from '../../src/lint/rules/index.js';
import type { CheckShell } from '../../src/lint/shell-check.js';
import { type SyntaxCodeEntry, syntaxCodes } from '../../src/parser/dot/syntax-codes.js';
import { root } from './markdown.js';

/** `docs/lint.md`: what lint can say, rendered from the rules, their fixtures and the codes of the parser. */
export function lintReference(): string {
  return [
    '# Lint rules',
    '',
    '<!-- Rendered from src/lint/rules, src/lint/reading-rules.ts, fixtures/lint and src/parser/dot/syntax-codes.ts:',
    '     `npx vitest run test/docs -u` renews this page. -->',
    '',
    '`attractor lint FILE…` prints all findings about pipelines; `--format json` is for programs. The exit status is 1 if there',
    'is an error, 2 if a file cannot be read, else 0. `attractor run` does not start a pipeline with an error.',
    '',
    '- An **error** is a pipeline that cannot run, or would not do what its text says.',
    '- A **warning** is a pipeline that runs, but probably not as intended.',
    '- An **info** is worth knowing.',
    '',
    '## Rules',
    '',
    ...builtInRules.flatMap(sectionOf),
    '## Findings while a file is read',
    '',
    ...readingRules.filter(({ saidBy }) => saidBy === 'lowering').flatMap(sectionOf),
    '## Findings about comments',
    '',
    ...readingRules.filter(({ saidBy }) => saidBy === 'comments').flatMap(sectionOf),
    '## Findings before a run',
    '',
    ...readingRules.filter(({ saidBy }) => saidBy === 'run').flatMap(headOf),
    '## Syntax',
    '',
    'What the parser cannot read is a finding of the rule `syntax`, with a code. It continues after the mistake, so that one',
    'call shows everything.',
    '',
    '| code | severity | meaning |',
    '|---|---|---|',
    ...Object.entries<SyntaxCodeEntry>(syntaxCodes).map(
      ([code, { severity, summary }]) => `| \`${code}\` | ${severity} | ${asCell(summary)} |`,
    ),
    '',
  ].join('\n');
}

function sectionOf(rule: RuleDescription): readonly string[] {
  return [...headOf(rule), '```text', exampleOf(rule.name, rule.severity), '```', ''];
}

function headOf({ name, severity, summary, rationale }: RuleDescription): readonly string[] {
  const head = [`### ${name}`, '', `**${severity}** · ${summary}`, ''];
  return rationale === undefined ? head : [...head, rationale, ''];
}

/** The first finding of a rule in its own fixtures, as lint prints it. */
function exampleOf(rule: string, severity: Severity): string {
  const folder = path.join(root, 'fixtures/lint', rule);
  const bad = readdirSync(folder)
    .filter((name) => name.startsWith('bad'))
    .sort((one, other) => one.length - other.length);
  for (const name of bad) {
    const text = readFileSync(path.join(folder, name), 'utf8').replaceAll(/[ \t]*\/\/~.*$/gm, '');
    const { source, diagnostics } = compile(text, {
      name: 'pipeline.dot',
      checkShell: exampleShell,
      isInstalled: isExampleInstalled,
      files: exampleFiles,
    });
    const found = diagnostics.find((finding) => finding.rule === rule && finding.severity === severity);
    if (found !== undefined)
      return renderPretty([{ source, diagnostics: [found] }], { color: false, verbose: true }).trimEnd();
  }
  throw new Error(`no bad fixture of ${rule} has a finding of severity ${severity}`);
}

/** Shells say the same in different words, and the page is to be the same everywhere. */
const exampleShell: CheckShell = (commands) =>
  commands.map((command) =>
    command.startsWith('if ') ? { message: '"fi" unexpected (expecting "then")', line: 1 } : undefined,
  );

/** The summaries of syntax codes are plain text. */
function asCell(text: string): string {
  return text.replaceAll(/([\\|<>*_])/g, '\\$1');
}
