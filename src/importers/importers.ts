import { dotDialects } from './dot/dot-dialects.js';
import { dotImporter } from './dot/dot-importer.js';
import { hive } from './hive/hive-importer.js';
import type { Importer } from './importer.js';
import { rye } from './rye/rye-importer.js';

/** All languages that `attractor migrate` reads; of two with equal signs, the first one is taken. */
export const importers: readonly Importer[] = [...dotDialects.map(dotImporter), rye, hive];
