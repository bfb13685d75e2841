import { expect, test } from 'vitest';
import { executedValues } from '../../../src/lint/analysis/executed-values.js';

test.each([
  ['echo ${context.x}', []],
  ['wc -l "${context.x}" | tail', []],
  ['sh -c \'wc -l "$1"\' sh ${context.x}', []],
  ["sh -c 'wc -l ${context.x}'", ['context.x by sh -c']],
  ['eval "${context.x}"', ['context.x by eval']],
  ['cd app && ${context.x} --version', ['context.x by the shell']],
  ['DEBUG=1 "${context.x}"', ['context.x by the shell']],
  ['./${context.x}.sh', []],
  ['python3 -c \'print("${context.x}")\' ${context.y}', ['context.x by python3 -c']],
  ['python3 check.py ${context.x}', []],
  ["node --eval 'f(${context.x})'", ['context.x by node --eval']],
  ['echo "${context.x}" | sh', ['context.x by sh']],
  ['printf %s "${context.x}" | /bin/bash -s', ['context.x by bash']],
  ['echo "${context.x}" | python3 -', ['context.x by python3']],
  ['echo "${context.x}" | python3 count.py', []],
  ['echo "${context.x}" || sh', []],
  ['echo "${context.x}"; sh', []],
  ['curl ${context.x} | grep y', []],
  ['eval "$ATTRACTOR_CTX_PLAN"', ['ATTRACTOR_CTX_PLAN by eval']],
  ['bash  -lc "${ATTRACTOR_CTX_PLAN}"', ['ATTRACTOR_CTX_PLAN by bash -lc']],
  ['echo "$ATTRACTOR_CTX_PLAN"', []],
  ['echo $((${context.x} + 1)) | sh', []],
])('what `%s` executes', (command, expected) => {
  expect(executedValues(command).map(({ path, runner }) => `${path} by ${runner}`)).toEqual(expected);
});
