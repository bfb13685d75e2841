import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { builtInRules } from '../../src/lint/rules/index.js';

const lint = path.join(import.meta.dirname, '../../src/lint');
const following = /analysis\/(?:control-flow|expected-flow)\.ts$|flow\/flow-search\.ts$/;

/** True if a module of lint reaches one that follows control through the graph. */
function follows(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)(?! type)[^;]*? from '(\.[^']*)\.js'/gms,
  );
  return [...imports].some(([, name = '']) => {
    const target = `${path.resolve(path.dirname(file), name)}.ts`;
    return following.test(target) || (target.startsWith(lint) && existsSync(target) && follows(target, seen));
  });
}

it('an editor checks a rule in a pause if it follows control through the graph', () => {
  const files = readdirSync(path.join(lint, 'rules'), { recursive: true, encoding: 'utf8' });
  const expected = files
    .filter((file) => /\/[\w-]+\.ts$/.test(file) && follows(path.join(lint, 'rules', file)))
    .map((file) => path.basename(file, '.ts').replaceAll('-', '_'));
  const marked = builtInRules.filter(({ followsFlow }) => followsFlow).map(({ name }) => name);
  expect(marked.toSorted()).toEqual(
    expected.filter((name) => builtInRules.some((rule) => rule.name === name)).toSorted(),
  );
  expect(marked.length).toBeGreaterThan(10);
});
