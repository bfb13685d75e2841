import { callHierarchyFeature } from './call-hierarchy.js';
import { codeActionFeature } from './code-actions.js';
import { codeLensFeature } from './code-lens.js';
import { completionFeature } from './completion.js';
import { drawingFeature } from './drawing.js';
import type { Feature } from './feature.js';
import { formattingFeature } from './formatting.js';
import { hintsFeature } from './hints.js';
import { hoverFeature } from './hover.js';
import { navigationFeature } from './navigation.js';
import { outlineFeature } from './outline.js';
import { renameFeature } from './rename.js';
import { semanticTokensFeature } from './semantic-tokens.js';

/** Everything that the server can do. */
export const features: readonly Feature[] = [
  completionFeature,
  hoverFeature,
  navigationFeature,
  renameFeature,
  formattingFeature,
  codeActionFeature,
  outlineFeature,
  semanticTokensFeature,
  hintsFeature,
  codeLensFeature,
  callHierarchyFeature,
  drawingFeature,
];
