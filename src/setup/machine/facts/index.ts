import type { FactFinder } from '../fact.js';
import { agents } from './agents.js';
import { files } from './files.js';
import { git } from './git.js';
import { node } from './node.js';
import { providers } from './providers.js';
import { runs } from './runs.js';
import { tools } from './tools.js';

/** All facts about a machine, in the order of a report. */
export const factFinders: readonly FactFinder[] = [node, tools, git, runs, files, providers, agents];
