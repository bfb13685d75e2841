import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Program } from './program.js';

/**
 * What of a valid pipeline cannot be executed. A run that would meet it must not start: treating it as an ordinary stage
 * would run something else than the author wrote.
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
      message: `this version cannot execute \`${node.handler.type}\` stages such as "${node.id}"`,
      span: node.node.span,
      nodeId: node.id,
      fix: {
        title: `register a handler for \`${node.handler.type}\`, or use a version that has one`,
        edits: [],
      },
    });
  }
  return diagnostics;
}
