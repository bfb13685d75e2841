import type { Diagnostic } from '../diagnostic/diagnostic.js';
import type { Program } from './program.js';

/**
 * Findings for stages of a valid pipeline that cannot be executed: their type was registered with the
 * compiler but not with the engine. A run that would meet one must not start: treating it as an ordinary
 * stage would run something else than the author wrote.
 * @param handledTypes handler types that have a handler
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
        title: `register a handler for \`${node.handler.type}\`, or name the plugin that provides one`,
        edits: [],
      },
    });
  }
  return diagnostics;
}
