import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Program } from './program.js';

/**
 * What of a valid pipeline cannot be executed: stages of a type that a program has told the compiler of and not the engine.
 * A run that would meet one must not start: treating it as an ordinary stage would run something else than the author wrote.
 * @param handledTypes the handler types for which there is a handler
 */
export function unsupportedFeatures(
  program: Program,
  handledTypes: { has(type: string): boolean },
): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const node of program.nodes.values()) {
    if (handledTypes.has(node.handler.type)) continue;
    diagnostics.push({
      rule: 'unsupported_feature',
      severity: 'error',
      message: `there is no handler for \`${node.handler.type}\` stages such as "${node.id}"`,
      span: node.node.span,
      nodeId: node.id,
      fix: {
        title: `register a handler for \`${node.handler.type}\`, or name the plugin that brings one`,
        edits: [],
      },
    });
  }
  return diagnostics;
}
