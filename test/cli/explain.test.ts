import { Chalk } from 'chalk';
import { describe, expect, it } from 'vitest';
import { type ExampleStyle, explainTopic } from '../../src/cli/explain/explain-topic.js';
import { TopicPage } from '../../src/cli/explain/page.js';
import { syntaxExamples } from '../../src/cli/explain/syntax-examples.js';
import { topicIndex, topicNames, topicsNamed } from '../../src/cli/explain/topics.js';
import { compile } from '../../src/compiler/compile.js';
import { textColumns } from '../../src/diagnostic/text-columns.js';
import { knownHandlerTypes } from '../../src/graph/known-handler-types.js';
import { type OutcomeWords, outcomeWords } from '../../src/lint/conditions/outcome-words.js';
import { routesOf } from '../../src/lint/conditions/routes-of.js';
import { builtInRules } from '../../src/lint/rules/index.js';

const style: ExampleStyle = { color: false, width: 80 };

async function explained(name: string): Promise<string> {
  const pages = topicsNamed(name).map(async (topic) => {
    const page = new TopicPage(new Chalk({ level: 0 }), style.width);
    await explainTopic(topic, page, style);
    return page.toString();
  });
  return (await Promise.all(pages)).join('\n');
}

it('what can be explained is listed by kind, each name once', () => {
  const index = topicIndex();
  expect([...index.keys()]).toEqual(['rule', 'syntax_code', 'handler', 'attribute']);
  expect(index.get('attribute')?.filter((name) => name === 'retry_target')).toEqual(['retry_target']);
  for (const name of [...index.values()].flat()) expect(topicsNamed(name), name).not.toEqual([]);
});

describe('a name stands for', () => {
  it.each<[name: string, kinds: readonly string[]]>([
    ['reachability', ['rule reachability']],
    ['missing_comma', ['syntax_code missing_comma']],
    ['syntax/missing_comma', ['syntax_code missing_comma']],
    ['wait.human', ['handler wait.human']],
    ['hexagon', ['handler wait.human']],
    ['retry_target', ['attribute retry_target', 'attribute retry_target']],
    ['node.retry_target', ['attribute retry_target']],
    ['edge.condition', ['attribute condition']],
    ['manager.max_cycles', ['attribute manager.max_cycles']],
    ['__proto__', []],
    ['nonsense', []],
  ])('%s: %o', (name, kinds) => {
    expect(topicsNamed(name).map((topic) => `${topic.kind} ${topic.name}`)).toEqual(kinds);
  });

  it('something, whatever name is offered, in lines that a terminal shows', async () => {
    for (const name of topicNames()) {
      const text = await explained(name);
      expect(text, name).toMatch(/^\S+ · .+\n\n\S/);
      // Code is shown as it is.
      const words = text.split('\n').filter((line) => !line.startsWith('  '));
      expect(words.filter((line) => textColumns(line) > style.width)).toEqual([]);
    }
  });

  it.each(Object.entries(syntaxExamples))(
    'the syntax code %s, with lines that have it and lines without',
    async (code, example) => {
      const { bad, good, isFile } = example;
      const codesIn = (lines: string) =>
        compile(isFile ? lines : `digraph G {\n${lines}\n}`).diagnostics.flatMap((found) =>
          found.rule === 'syntax' ? [found.code] : [],
        );
      expect(codesIn(bad)).toContain(code);
      expect(codesIn(good)).toEqual([]);
      expect(await explained(`syntax/${code}`)).toContain(`Write\n  ${good.split('\n')[0]}`);
    },
  );

  it('a handler, with what it comes out as, sets and reads', async () => {
    expect(await explained('tool')).toMatch(
      /outcome .*exits with 0.*sets .*`tool\.output`.*attributes .*`tool_command`/s,
    );
  });

  it('a handler, with what a server thinks of it', async () => {
    expect(await explained('tool')).toContain('`--allow-tools` refuses it');
    expect(await explained('parallel.fan_in')).toContain('language model where it has a prompt');
  });

  it.each(builtInRules.map(({ name }) => name))(
    '%s, with what the rule says of its own example',
    async (rule) => {
      const text = await explained(rule);
      expect(text).toMatch(new RegExp(`\\[${rule}(/\\w+)?\\]: `));
      expect(text).not.toContain('//~');
    },
  );
});

const pipeline = `digraph G {
  start [shape=Mdiamond] done [shape=Msquare]
  work [prompt="w", retry_target=start]
  check [shape=diamond]
  gate [shape=hexagon]
  fan [shape=component] one [prompt="1"] two [prompt="2"] meet [shape=tripleoctagon]
  pick [prompt="p"]
  bold [prompt="b", on_failure=continue]
  start -> work -> check
  check -> fan [condition="outcome=success"]
  check -> gate [condition="outcome=fail && context.tries > 2"]
  check -> work [label="Again"]
  gate -> work [label="[A] Again"]
  gate -> done [label="[S] Stop"]
  fan -> one -> meet
  fan -> two -> meet
  meet -> pick
  pick -> bold [label="On", weight=2]
  pick -> done
  bold -> done
}`;
const { graph } = compile(pipeline);

function toldOf(id: string): readonly string[] {
  const routes = routesOf(graph, id, knownHandlerTypes());
  if (routes === undefined) throw new Error(`there is no node ${id}`);
  return outcomeWords(routes).map(inWords);
}

function inWords({ outcomes, lines, otherwise }: OutcomeWords): string {
  const ways = lines.map(({ to, when }) => `${to} ${when}`);
  return `${outcomes.join(',')}: ${[...ways, ...(otherwise === undefined ? [] : [otherwise])].join('; ')}`;
}

describe('from a node control goes', () => {
  it.each<[id: string, routes: readonly string[]]>([
    ['start', ['success: work in any other case']],
    ['done', ['success: the run ends here if all visited goal gates are satisfied']],
    [
      'work',
      [
        'success,partial_success,skipped: check in any other case',
        'fail: start by retry_target, unless going back would only repeat the same failure; check in any other case',
      ],
    ],
    [
      'check',
      [
        'success: fan because outcome=success',
        'partial_success,skipped: work in any other case',
        'fail: gate if outcome=fail && context.tries > 2; work in any other case',
      ],
    ],
    [
      'gate',
      [
        'success: work if this is chosen; done if this is chosen',
        'fail: the run fails, with the reason of the stage',
      ],
    ],
    [
      'fan',
      [
        'success,partial_success,skipped: meet when its branches are done',
        'fail: the run fails, with the reason of the stage',
      ],
    ],
    [
      'pick',
      [
        'success,partial_success,skipped: bold if its label is preferred, or if bold is suggested; done if done is suggested; bold in any other case: it has the highest weight, 2',
        'fail: the run fails, with the reason of the stage',
      ],
    ],
    ['bold', ['success,partial_success,skipped,fail: done in any other case']],
  ])('%s', (id, routes) => {
    expect(toldOf(id)).toEqual(routes);
  });
});
