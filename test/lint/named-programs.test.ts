import { expect, test } from 'vitest';
import { namedPrograms } from '../../src/lint/analysis/named-programs.js';
import { fc } from '../support/fast-check.js';

test.each<readonly [command: string, programs: readonly string[]]>([
  ['npm test', ['npm']],
  ['npm ci && npm test', ['npm']],
  ['make build | tee log; cargo test', ['make', 'tee', 'cargo']],
  ['CI=1 npm test', ['npm']],
  ['cd web && pnpm build', ['pnpm']],
  ['if grep -q x f; then jq . f; else yq . f; fi', ['grep', 'jq', 'yq']],
  ['for f in *.md; do vale "$f"; done', ['vale']],
  ['! git diff --quiet', ['git']],
  ["'npm' test", ['npm']],
  ['/usr/bin/env python3 x.py', ['/usr/bin/env']],
  ['./deploy.sh', ['./deploy.sh']],
  ['set -e; ./deploy.sh', ['./deploy.sh']],
  ['echo hello', []],
  // The first one may write the second, or go elsewhere.
  ['make && ./app', ['make']],
  ['cd sub && ./app', []],
  // Somebody takes the failure.
  ['jq . f || cat f', ['cat']],
  // The text asks itself whether it is there.
  ['if command -v gh >/dev/null; then gh pr view; else curl -s x; fi', ['curl']],
  ['which jq && jq . f', ['which']],
  ['$TOOL --all', []],
  ['"$HOME"/bin/x', []],
  ['~/bin/x', []],
  ['${context.program} x', []],
  ['PATH=node_modules/.bin:$PATH eslint .', []],
  ['export PATH=/opt/x:$PATH; thing', []],
  ['build() { cc x.c; }; build', []],
  ['alias ll="ls -l"; ll', []],
  ['eval "$(direnv hook)"; thing', []],
  ['cat <<EOF\nx\nEOF\nthing', []],
  ['', []],
  ['# only a comment', []],
])('%s', (command, programs) => {
  expect([...namedPrograms(command).keys()]).toEqual(programs);
});

test('never throws, and names what is written in the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab./$"\'\\|&;(){}<> \n#!=~*`') }), (command) => {
      for (const name of namedPrograms(command).keys())
        expect(command.replaceAll(/["'\\]/g, '')).toContain(name);
    }),
  );
});
