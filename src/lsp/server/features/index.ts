import { codeActionFeature } from './code-actions.js';
import { completionFeature } from './completion.js';
import type { Feature } from './feature.js';
import { formattingFeature } from './formatting.js';
import { hoverFeature } from './hover.js';
import { navigationFeature } from './navigation.js';
import { renameFeature } from './rename.js';

/** Everything that the server can do. */
export const features: readonly Feature[] = [
  completionFeature,
  hoverFeature,
  navigationFeature,
  renameFeature,
  formattingFeature,
  codeActionFeature,
];
