import { palettes } from '../render/theme.js';

const { light, dark } = palettes;

function pair(name: string, one: string, other: string): string {
  return `--${name}: light-dark(${one}, ${other});`;
}

/** The colours of the drawings, so that a failed stage looks the same everywhere. */
const states = (['done', 'failed', 'running', 'waiting', 'skipped'] as const).map((state) => {
  const [bright, deep] = [light.run.states[state], dark.run.states[state]];
  return `.${state} { ${pair('tint', bright.fill, deep.fill)} ${pair('line', bright.border, deep.border)} }`;
});

/** Colours that programs give their texts. */
const ansi = [
  ['gray', light.mutedInk, dark.mutedInk],
  ['red', '#b42525', '#f47c7c'],
  ['green', '#196c39', '#4cc477'],
  ['yellow', '#7a5000', '#e3b03c'],
  ['blue', '#1d5fd1', '#6fa6ff'],
  ['magenta', '#8b35a8', '#d39bea'],
  ['cyan', '#0b6b77', '#5cc3d0'],
].map(([name, bright, deep]) => `.ansi-${name} { color: light-dark(${bright}, ${deep}); }`);

/** The style sheet of a report. */
export const reportStyle = `
:root {
  color-scheme: light dark;
  ${pair('page', light.page, dark.page)}
  ${pair('ink', light.ink, dark.ink)}
  ${pair('muted', light.mutedInk, dark.mutedInk)}
  ${pair('panel', '#f6f7f9', '#171e28')}
  ${pair('edge', '#d5dae1', '#303a48')}
  ${pair('link', '#1a55b8', '#7fb0ff')}
}
${states.join('\n')}
${ansi.join('\n')}
.ansi-bold { font-weight: 700; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(.75rem, 3vw, 2rem) 3rem; max-width: 72rem; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.2rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; }
.heading { margin: 1rem 0 .25rem; font-weight: 600; }
p { margin: .4rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, button:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .87em; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: .6rem .8rem; background: var(--panel); border: 1px solid var(--edge); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
pre + pre { margin-top: .4rem; }
nav { display: flex; flex-wrap: wrap; gap: .35rem 1rem; align-items: center; margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--edge); }
#folding { margin-left: auto; display: inline-flex; gap: .5rem; }
button { font: inherit; font-size: .85em; padding: .2rem .6rem; color: var(--ink); background: var(--panel); border: 1px solid var(--edge); border-radius: .35rem; cursor: pointer; }
.note { color: var(--muted); font-size: .9em; }
.goal { font-size: 1.05rem; }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; }
.badge { display: inline-block; padding: 0 .5em; border: 1px solid var(--line); border-radius: .4em; background: var(--tint); color: var(--ink); font-size: .8rem; font-weight: 600; line-height: 1.5; vertical-align: .12em; white-space: nowrap; }
.box { margin: .5rem 0; padding: .5rem .8rem; border-left: 4px solid var(--line); background: var(--tint); border-radius: .25rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: .5rem; margin: 0; }
.figures > div { padding: .5rem .75rem; background: var(--panel); border: 1px solid var(--edge); border-radius: .4rem; }
dt { color: var(--muted); font-size: .85em; }
dd { margin: 0; }
.figures dd { font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: .25rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 .8rem; font-size: .93em; }
th, td { padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; font-weight: normal; }
thead th, tfoot th, tfoot td { color: var(--muted); }
thead th { overflow-wrap: normal; }
tbody th { font-weight: 600; min-width: 6rem; }
.numbers td, .numbers thead th + th { text-align: right; font-variant-numeric: tabular-nums; }
.numbers { margin-bottom: 1.2rem; }
.picture { overflow: auto; max-height: 85vh; border: 1px solid var(--edge); border-radius: .4rem; }
.picture svg { display: block; max-width: 100%; height: auto; margin: 0 auto; overflow: visible; }
.picture.wide svg { max-width: none; min-width: 0; }
.timeline { display: grid; gap: 2px; }
.lane { display: grid; grid-template-columns: minmax(5rem, 11rem) 1fr; gap: .6rem; align-items: center; }
.lane .name { text-align: right; font-size: .9em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane svg { display: block; width: 100%; height: 16px; background: var(--panel); border-radius: 3px; }
.lane rect { fill: var(--line); }
.ends { display: flex; justify-content: space-between; gap: 1rem; color: var(--muted); font-size: .85em; }
summary { cursor: pointer; }
.visit, .child { margin: .4rem 0; border: 1px solid var(--edge); border-radius: .4rem; }
.visit > summary, .child > summary { padding: .45rem .75rem; display: flex; flex-wrap: wrap; gap: .1rem .6rem; align-items: baseline; }
.visit > summary::before, .child > summary::before { content: "\\25b8"; color: var(--muted); }
.visit[open] > summary::before, .child[open] > summary::before { content: "\\25be"; }
.visit > summary::-webkit-details-marker, .child > summary::-webkit-details-marker { display: none; }
.visit .title { font-weight: 600; overflow-wrap: anywhere; }
.right { margin-left: auto; color: var(--muted); font-size: .9em; font-variant-numeric: tabular-nums; }
.body { padding: .25rem .75rem .75rem; border-top: 1px solid var(--edge); }
.file, .call { margin: .5rem 0; }
.file > summary { margin-bottom: .25rem; font-weight: 600; font-size: .93em; }
.file > summary .note { font-weight: normal; }
.values { margin: .4rem 0 .8rem; display: grid; gap: .5rem; }
.values > div, .values dd { min-width: 0; position: relative; }
.tree { max-height: 26rem; overflow: auto; padding: .4rem .8rem; background: var(--panel); border: 1px solid var(--edge); border-radius: .4rem; overflow-wrap: anywhere; font: .87em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.tree ul { list-style: none; margin: 0; padding: 0 0 0 1.2rem; }
.values dt { color: var(--ink); font-size: 1em; }
.tree summary { line-height: 24px; }
.tree details:not([open]) > summary::after { content: " " attr(data-closed); color: var(--muted); }
.tree .key { color: var(--link); }
.copy { position: absolute; top: .3rem; right: .3rem; }
.thread { list-style: none; margin: .25rem 0; padding: 0 0 0 .75rem; border-left: 2px solid var(--edge); }
.thread > li { margin: .6rem 0; }
.markdown > :first-child { margin-top: 0; }
.markdown { overflow-wrap: anywhere; }
.markdown ul, .markdown ol { margin: .4rem 0; padding-left: 1.5rem; }
.markdown blockquote { margin: .4rem 0; padding-left: .75rem; border-left: 3px solid var(--edge); color: var(--muted); }
.markdown hr { border: 0; border-top: 1px solid var(--edge); }
.markdown table { width: auto; }
.added, .removed { display: inline-block; min-width: 100%; }
.added { background: light-dark(${light.run.states.done.fill}, ${dark.run.states.done.fill}); }
.removed { background: light-dark(${light.run.states.failed.fill}, ${dark.run.states.failed.fill}); }
.plain { list-style: none; margin: .25rem 0; padding: 0; }
@media (max-width: 640px) {
  body { font-size: 14px; }
  .picture:not(.tall) svg { min-width: 44rem; }
  .lane { grid-template-columns: 5.5rem 1fr; }
  #folding { margin-left: 0; }
  th, td { padding-right: .35rem; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .copy { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .picture { max-height: none; overflow: visible; border: 0; }
  .tree { max-height: none; overflow: visible; }
  .picture svg, .picture.wide svg { max-width: 100%; min-width: 0; height: auto; }
  .visit, .child, table, .figures > div { break-inside: auto; }
  summary, h2, h3, .heading, tr, .box { break-after: avoid; break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
