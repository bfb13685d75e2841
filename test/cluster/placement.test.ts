import { describe, expect, it } from 'vitest';
import { mayTakeFrom, placementOfQueue, queueOf } from '../../src/cluster/dbos/queues.js';
import {
  awaited,
  checkLabels,
  type FilesReach,
  filesAdvice,
  filesReachOf,
  type PlacedWorker,
  placementOf,
} from '../../src/cluster/placement.js';
import { compile } from '../../src/compiler/compile.js';
import { fc } from '../support/fast-check.js';

function placed(attributes: string) {
  return placementOf(compile(`digraph g { graph [${attributes}]; a [shape=Mdiamond] }`).graph);
}

function worker(labels: string, more: Partial<PlacedWorker> = {}): PlacedWorker {
  const named = labels.split(',').filter((label) => label !== '');
  return { host: 'w1', labels: named, runs: 0, max_runs: 2, leaving: false, ...more };
}

const tool = 'work [shape=parallelogram, tool_command="ls"]';
const noRemote = { remote: undefined };

describe('143: the placement of a run', () => {
  it.each([
    ['', []],
    ['requires="linux, gpu"', ['gpu', 'linux']],
    ['requires="gpu gpu;linux,"', ['gpu', 'linux']],
    ['requires="gpu: string"', ['gpu']],
    ['requires="1x"', []],
  ])('of a graph with %s requires %j', (attributes, requires) => {
    expect(placed(attributes).requires).toEqual(requires);
  });

  it.each<[what: string, requires: string, workers: PlacedWorker[], awaited: string | undefined]>([
    ['no worker', '', [], 'a worker'],
    ['a free worker', '', [worker('')], undefined],
    ['a full worker', '', [worker('', { runs: 2 })], 'a worker with room'],
    ['a worker that is leaving', '', [worker('', { leaving: true })], 'a worker'],
    ['a worker without the labels', 'gpu,linux', [worker('gpu')], 'a worker with --labels gpu,linux'],
    ['a worker with more labels', 'gpu', [worker('linux,gpu,big')], undefined],
    [
      'a full one with them, a free one without',
      'gpu',
      [worker('gpu', { runs: 2 }), worker('')],
      'a worker with room',
    ],
  ])('waits, where there is %s', (_, requires, workers, expected) => {
    expect(awaited(placed(requires === '' ? '' : `requires="${requires}"`), workers)).toBe(expected);
  });

  it('names its queue, from which exactly the workers with its labels take', () => {
    const labels = fc.uniqueArray(fc.constantFrom('gpu', 'linux', 'big', 'a-1'));
    fc.assert(
      fc.property(labels, labels, (requires, held) => {
        const placement = { requires: [...requires].sort() };
        const queue = queueOf(placement);
        expect(placementOfQueue(queue)).toEqual(placement);
        expect(mayTakeFrom(queue, { labels: held, host: 'w1' })).toBe(
          requires.every((label) => held.includes(label)),
        );
      }),
    );
  });

  it('has nothing to say of the queues of DBOS', () => {
    expect(mayTakeFrom('_dbos_internal_queue', { labels: [], host: 'w1' })).toBeUndefined();
  });

  it('lets a run continue on its machine only, whatever labels the workers have', () => {
    const here = { requires: [], host: 'w1' };
    const queue = queueOf(here);
    expect(placementOfQueue(queue)).toEqual(here);
    expect(mayTakeFrom(queue, worker(''))).toBe(true);
    expect(mayTakeFrom(queue, worker('gpu', { host: 'w2' }))).toBe(false);
    expect(awaited(here, [worker('', { host: 'w2' })])).toBe('a worker with --name w1, where its files are');
  });

  it.each<
    [what: string, attributes: string, nodes: string, options: Parameters<typeof filesReachOf>[1], FilesReach]
  >([
    ['a tool', '', tool, noRemote, 'unsaid'],
    ['a model', '', 'work [prompt="Do it"]', noRemote, 'unsaid'],
    ['no work', '', 'work [shape=hexagon]', noRemote, 'none'],
    ['a simulation', 'placement=sticky', tool, { remote: undefined, simulate: true }, 'none'],
    ['a sticky one', 'placement=sticky', tool, noRemote, 'sticky'],
    ['a shared directory', 'placement=shared', tool, noRemote, 'shared'],
    ['a remote', 'placement=sticky', tool, { remote: '/srv/site.git' }, 'remote'],
  ])('knows the reach of the files of %s', (_, attributes, nodes, options, reach) => {
    const { program } = compile(
      `digraph g { graph [${attributes}]; start [shape=Mdiamond]; done [shape=Msquare]; ${nodes}; start -> work -> done }`,
    );
    if (program === undefined) throw new Error('the pipeline is not valid');
    expect(filesReachOf(program, options)).toBe(reach);
  });

  it.each<[what: string, FilesReach, hosts: string[], RegExp | undefined]>([
    [
      'other machines',
      'unsaid',
      ['w1', 'w2', 'w2'],
      /work in \/site,.* all workers \(w1, w2\).*placement=shared.*git_remote/,
    ],
    ['one other machine', 'unsaid', ['w2'], /placement=sticky/],
    ['this machine only', 'unsaid', ['w1', 'w1'], undefined],
    ['no worker', 'unsaid', [], undefined],
    ['other machines and a remote', 'remote', ['w2'], undefined],
    ['other machines and a run that stays', 'sticky', ['w2'], undefined],
  ])('advises the author, where there are %s', (_, reach, hosts, advice) => {
    const found = filesAdvice(
      { reach, directory: '/site' },
      hosts.map((host) => worker('', { host })),
      'w1',
    );
    if (advice === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(advice);
  });

  it.each(['gp.u', '1x', 'a b', ''])('refuses a worker with the label "%s"', (label) => {
    expect(() => checkLabels(['gpu', label])).toThrow(`"${label}" is not a label`);
  });
});
