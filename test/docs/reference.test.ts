import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readingRules } from '../../src/lint/reading-rules.js';
import { builtInRules } from '../../src/lint/rules/index.js';
import { attributeReference } from './attribute-reference.js';
import { lintReference } from './lint-reference.js';
import { root } from './markdown.js';

describe('the reference', () => {
  it('of lint is what the code says', async () => {
    await expect(lintReference()).toMatchFileSnapshot(path.join(root, 'docs/lint.md'));
  });

  it('of attributes is what the code says', async () => {
    await expect(attributeReference()).toMatchFileSnapshot(path.join(root, 'docs/attributes.md'));
  });

  it('of lint has every rule that the source can report', () => {
    const reported = sourceFiles()
      .flatMap(({ text }) => [...text.matchAll(/\b(?:rule:|unusedSuppression =) '([a-z_]+)'/g)])
      .map(([, rule = '']) => rule);
    const documented = [...builtInRules.map(({ name }) => name), ...readingRules.map(({ name }) => name)];
    expect([...new Set(reported)].filter((rule) => !documented.includes(rule))).toEqual([]);
    expect(readingRules.map(({ name }) => name).filter((name) => !reported.includes(name))).toEqual([]);
  });

  it('names attributes that something reads which runs a pipeline', () => {
    const names = ['max_steps', 'workdir', 'budget_usd', 'tool_hooks.pre', 'writes', 'fail_when', 'output'];
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  });
});

/** Whether anything that runs a pipeline reads the attribute; the tables, lint and drawings do not count. */
function isRead(attribute: string): boolean {
  const elsewhere =
    /^(?:graph\/(?:attributes|handler-details|values\/key-lists|values\/written-keys)\.ts|lint\/|render\/)/;
  return sourceFiles().some(({ name, text }) => !elsewhere.test(name) && text.includes(`'${attribute}'`));
}

function sourceFiles(): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      name: name.split(path.sep).join('/'),
      text: readFileSync(path.join(root, 'src', name), 'utf8'),
    }));
}
