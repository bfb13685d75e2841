import { answerTool } from './answer.js';
import { cancelTool } from './cancel.js';
import { checkTool } from './check.js';
import { drawTool } from './draw.js';
import { estimateTool } from './estimate.js';
import { explainTool } from './explain.js';
import { fixTool } from './fix.js';
import { formatTool } from './format.js';
import { logsTool } from './logs.js';
import { resumeTool } from './resume.js';
import { runTool } from './run.js';
import { simulateTool } from './simulate.js';
import { statusTool } from './status.js';
import { testTool } from './test.js';
import type { Tool } from './tool.js';

/** Tools in the order in which a client lists them. */
export const tools: readonly Tool[] = [
  checkTool,
  fixTool,
  formatTool,
  explainTool,
  drawTool,
  simulateTool,
  testTool,
  estimateTool,
  runTool,
  statusTool,
  answerTool,
  logsTool,
  resumeTool,
  cancelTool,
];
