import type { AttributeOwner } from '../attributes.js';

/** Names of attributes in other tools, or for other owners. */
export const otherNames: Readonly<Record<AttributeOwner, ReadonlyMap<string, string>>> = {
  graph: new Map([
    ['max_retries', 'default_max_retries'],
    ['max_retry', 'default_max_retries'],
    ['fidelity', 'default_fidelity'],
    ['stylesheet', 'model_stylesheet'],
    ['model', 'llm_model'],
    ['provider', 'llm_provider'],
    ['max_pipeline_duration', 'timeout'],
  ]),
  node: new Map([
    ['default_max_retries', 'max_retries'],
    ['default_max_retry', 'max_retries'],
    ['max_retry', 'max_retries'],
    ['retries', 'max_retries'],
    ['default_fidelity', 'fidelity'],
    ['default_thread_id', 'thread_id'],
    ['thread', 'thread_id'],
    ['llm_prompt', 'prompt'],
    ['instructions', 'prompt'],
    ['command', 'tool_command'],
    ['cmd', 'tool_command'],
    ['script', 'tool_command'],
    ['max_node_visits', 'max_visits'],
    ['model', 'llm_model'],
    ['provider', 'llm_provider'],
    ['node_type', 'type'],
    ['handler', 'type'],
    ['stack.child_dotfile', 'child'],
    ['stack.child_workdir', 'workdir'],
  ]),
  edge: new Map([
    ['if', 'condition'],
    ['when', 'condition'],
    ['thread', 'thread_id'],
    ['default_fidelity', 'fidelity'],
    ['restart', 'loop_restart'],
  ]),
};
