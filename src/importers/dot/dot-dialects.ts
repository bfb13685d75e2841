import { amplifier } from './dialects/amplifier.js';
import { fabro } from './dialects/fabro.js';
import { kilroy } from './dialects/kilroy.js';
import { specification } from './dialects/specification.js';
import { tracker } from './dialects/tracker.js';
import type { DotDialect } from './dot-dialect.js';

/** Dialects in DOT; of two with equal signs, the first one is taken. */
export const dotDialects: readonly DotDialect[] = [fabro, kilroy, amplifier, tracker, specification];
