import { createHash } from 'node:crypto';
import { type Layout, layoutHere } from '../render/layout.js';
import { version } from '../version.js';
import type { RunExtensions } from '../view/run-pipeline.js';
import { newAllowance } from './allowance.js';
import { Html, html } from './html.js';
import { reportData } from './report-data.js';
import { reportScript } from './report-script.js';
import { reportStyle } from './report-style.js';
import { runSections } from './run-sections.js';
import { badge, timeText } from './words.js';

/**
 * The report of a run as one self-contained HTML file (§9.6): summary, graph with the path, timeline, every
 * visit of a stage, costs. The run may be under way; child runs are included. Its size is bounded.
 * @param now milliseconds since 1970
 * @param extensions of the run's plugins, if loaded: the graph may depend on them
 * @throws RunError where the run cannot be read
 */
export async function renderReport(
  directory: string,
  now: number,
  extensions: RunExtensions = {},
  layout: Layout = layoutHere,
): Promise<string> {
  const setup = { now, allowance: newAllowance(), extensions, layout };
  const data = await reportData(directory, { ...setup, prefix: '' });
  const { run_id, name, goal, status } = data.overview;
  const sections = await runSections(data, setup, 2);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}: ${status}, run ${run_id}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<header>
<h1>${name} ${badge(status)}</h1>
${goal === '' ? '' : html`<p class="goal prose">${goal}</p>`}
<p class="note">Run <code>${run_id}</code></p>
<nav aria-label="Parts of the report"><a href="#summary">Summary</a> <a href="#graph">Graph</a> <a href="#timeline">Timeline</a> <a href="#stages">Stages</a> <a href="#usage">Costs</a> <a href="#pipeline">Pipeline</a> <span id="folding"></span></nav>
</header>
<main>
${sections}
</main>
<footer><p class="note">Made by attractor ${version}, ${timeText(new Date(now).toISOString())}.</p></footer>
<script>${new Html(reportScript)}</script>
</body>
</html>
`;
  return page.markup;
}

/** Nothing is loaded from the network, and no script but ours runs. */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(reportScript).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
