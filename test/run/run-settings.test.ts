import { describe, expect, test } from 'vitest';

import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { run } from '../../src/run/run.js';
import { parseRunSettings } from '../../src/run/run-settings.js';
import { emptyScript } from '../../src/run-directory/simulation-script.js';

describe('options that no compiler has seen', () => {
  test.each<[options: object, message: RegExp]>([
    [{ handlers: {} }, /^the option "handlers" must be a HandlerRegistry, not {}/],
    [{ answers: { gate: ['A'] } }, /^the option "answers" must be a Map from node ids/],
    [{ answers: new Map([['gate', 'A']]) }, /^the option "answers" must be a Map from node ids to lists/],
    [{ script: {} }, /^the option "script" must be a result of readScript/],
    [{ maxSteps: Number.NaN }, /^the option "maxSteps" must be a whole number of at least 1, not NaN$/],
    [{ maxSteps: -1 }, /at least 1, not -1$/],
    [{ maxSteps: 1.5 }, /at least 1, not 1.5$/],
    [{ runDirectory: '' }, /^the option "runDirectory" must be the path of a directory, not ""$/],
    [{ runId: '../up' }, /^the option "runId" must be made of letters, digits, .*, not "\.\.\/up"$/],
    [{ runId: '' }, /^the option "runId" .* not ""$/],
    [{ runId: 7 }, /^the option "runId" .* not 7$/],
  ])('%j are refused', async (options, message) => {
    const refusal = { code: 'usage', message: expect.stringMatching(message) };
    expect(() => parseRunSettings(options)).toThrow(expect.objectContaining(refusal));
    await expect(run('digraph G {}', options)).rejects.toMatchObject(refusal);
  });

  test('others pass', () => {
    const options = { handlers: new HandlerRegistry(), answers: new Map(), script: emptyScript, maxSteps: 1 };
    expect(() => parseRunSettings({ ...options, runDirectory: 'run', runId: 'Nightly-7' })).not.toThrow();
    expect(() => parseRunSettings({})).not.toThrow();
  });

  test.each<[type: unknown, handler: unknown, message: RegExp]>([
    ['x', {}, /^register: the handler of "x" must be an object with a function "execute"/],
    ['x', undefined, /function "execute"/],
    [undefined, { execute: () => undefined }, /^register: expected the name of a handler type/],
    [' ', { execute: () => undefined }, /^register: expected the name of a handler type/],
  ])('4.12: registering %j, %j is refused', (type, handler, message) => {
    const register = () => new HandlerRegistry().register(type as never, handler as never);
    expect(register).toThrow(TypeError);
    expect(register).toThrow(message);
  });
});
