/** Broken pipeline that the tools alone repair. */
export interface RepairTask {
  /** Fault, for people: the script that repairs does not see it. */
  readonly fault: string;
  readonly text: string;
  /** Calls that the script makes, in order. */
  readonly calls: readonly string[];
}

const around = (name: string, lines: readonly string[]): string =>
  `digraph ${name} {\n    start [shape=Mdiamond]\n    done  [shape=Msquare]\n${lines.map((line) => `    ${line}\n`).join('')}}\n`;

/** Ten tasks, "repair this pipeline". */
export const repairTasks: readonly RepairTask[] = [
  {
    fault: 'a comma and a bracket are missing',
    text: around('Review', [
      'draft [label="Draft" prompt="Write a summary of the change"]',
      'check [shape=parallelogram, timeout="5m", max_visits=3, tool_command="npm test"',
      'start -> draft -> check',
      'check -> done  [condition="outcome=success"]',
      'check -> draft [condition="outcome=fail"]',
    ]),
    calls: ['check', 'fix', 'check', 'fix findings=[1]', 'check', 'simulate'],
  },
  {
    fault: 'names of attributes are misspelt',
    text: around('Retry', [
      'graph [defualt_max_retry=2]',
      'plan  [prompt="Plan the work"]',
      'build [promt="Build it", max_retrys=3]',
      'start -> plan -> build -> done',
    ]),
    calls: [
      'check',
      'fix',
      'check',
      'write prompt at 6:12',
      'check',
      'write max_retries at 6:31',
      'check',
      'simulate',
    ],
  },
  {
    fault: 'a retry target does not exist',
    text: around('Gate', [
      'work [prompt="Do the work", goal_gate=true, retry_target=wrok, max_visits=3]',
      'start -> work -> done',
    ]),
    calls: ['check', 'write work at 4:62', 'check', 'simulate'],
  },
  {
    fault: 'conditions are written as in other languages',
    text: around('Outcomes', [
      'test [shape=parallelogram, tool_command="npm test", timeout="5m", max_visits=3]',
      'fix  [prompt="Repair the code"]',
      'start -> test',
      'test -> done [condition="outcome == success"]',
      'test -> fix  [condition="outcome=failure"]',
      'fix -> test',
    ]),
    calls: ['check', 'fix', 'check', 'simulate'],
  },
  {
    fault: 'a duration is written in words',
    text: around('Timeouts', [
      'fetch [shape=parallelogram, tool_command="curl -sf https://example.org", timeout="5 minutes"]',
      'start -> fetch -> done',
    ]),
    calls: ['check', 'fix', 'check', 'simulate'],
  },
  {
    fault: 'the graph is strict and undirected',
    text: around('Arrows', ['plan [prompt="Plan"]', 'start -- plan -- done']).replace(
      'digraph',
      'strict graph',
    ),
    calls: ['check', 'fix', 'check', 'simulate'],
  },
  {
    fault: 'the shape of the join is misspelt',
    text: around('Fan', [
      'split [shape=component]',
      'tests [prompt="Look at the tests"]',
      'docs  [prompt="Look at the docs"]',
      'join  [shape=tripleoctogon]',
      'start -> split',
      'split -> tests -> join',
      'split -> docs -> join',
      'join -> done',
    ]),
    calls: ['check', 'write tripleoctagon at 7:18', 'check', 'simulate'],
  },
  {
    fault: 'quotes inside a prompt, and no closing brace',
    text: around('Quotes', ['say [prompt="Say "hello" to the user"]', 'start -> say -> done']).replace(
      /}\n$/,
      '',
    ),
    calls: ['check', 'fix', 'check', 'simulate'],
  },
  {
    fault: 'a stylesheet names a property that does not exist',
    text: around('Style', [
      'graph [model_stylesheet="* { llm_modle: claude-sonnet-4-5 }"]',
      'work [prompt="Do it"]',
      'start -> work -> done',
    ]),
    calls: ['check', 'write llm_model at 4:34', 'check', 'simulate'],
  },
  {
    fault: 'a prompt reads a value of a misspelt root',
    text: around('Values', [
      'graph [inputs="topic: string = bees"]',
      'work [prompt="Write about ${input.topic}"]',
      'start -> work -> done',
    ]),
    calls: ['check', 'write ${inputs.topic} at 5:31', 'check', 'simulate'],
  },
];
