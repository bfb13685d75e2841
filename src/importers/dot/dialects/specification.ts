import { byValue, type DotDialect, lost, needless, renamed } from '../dot-dialect.js';
import { otherNamesOf, prompt, systemPrompt } from '../rules/attributes.js';
import { restartCount } from '../rules/conditions.js';
import { oneExit } from '../rules/exits.js';
import { blocks, dollarContext, dollarGraphAttributes, doubleBraces, lastResponse } from '../rules/texts.js';

const noTurns = lost('a stage has a `timeout` and budgets, but no limit of turns');

/** The plain specification, in the spellings of its many implementations. All other dialects begin with it. */
export const specification: DotDialect = {
  name: 'specification',
  title: 'the plain specification',
  signs: { base: 0.5 },
  attributes: {
    graph: {
      ...otherNamesOf('graph'),
      context_fidelity_default: renamed('default_fidelity'),
      context_thread_default: renamed('default_thread_id'),
    },
    node: {
      ...otherNamesOf('node'),
      prompt,
      llm_prompt: prompt,
      instructions: prompt,
      system_prompt: systemPrompt,
      is_codergen: needless,
      node_type: byValue({
        start: renamed('type'),
        exit: renamed('type'),
        codergen: renamed('type'),
        tool: renamed('type'),
        conditional: renamed('type'),
        'wait.human': renamed('type'),
        parallel: renamed('type'),
        'parallel.fan_in': renamed('type'),
        'stack.observe': lost('it is an LLM stage here, which reports its outcome by itself'),
        'stack.steer': lost('it is an LLM stage here; its edges and conditions route'),
      }),
      max_agent_turns: noTurns,
      max_turns: noTurns,
      max_tokens: lost('answers have no limit of tokens; `budget_tokens` limits the whole stage'),
      cwd: renamed('workdir'),
      working_dir: renamed('workdir'),
    },
    edge: otherNamesOf('edge'),
  },
  texts: [doubleBraces, blocks, dollarContext, lastResponse, dollarGraphAttributes],
  conditions: [dollarContext, ...restartCount],
  pipeline: [oneExit],
};
