import { colorPairs, inkOnAuthorsFill, ownFillClass, palettes } from './theme.js';

const properties = ['fill', 'stroke'] as const;

/**
 * CSS rules that turn the light colours of a drawing into the dark ones. They match colours, not elements,
 * so that the author's colours stay as they are; a viewer without media queries shows the light drawing.
 */
export function darkRules(svg: string): readonly string[] {
  const rules = [`.attractor{background:${palettes.dark.page}}`];
  for (const [light, dark] of colorPairs()) {
    for (const property of properties) {
      if (svg.includes(` ${property}="${light}"`)) {
        rules.push(`.attractor [${property}="${light}"]{${property}:${dark}}`);
      }
    }
  }
  return rules;
}

/**
 * CSS rules for colours that the author chose for a white page: lines and texts on the page become lighter, boxes around
 * stages darker. Stages with a fill of the author's keep it, and have dark text.
 */
export function darkAuthorRules(svg: string): readonly string[] {
  const rules: string[] = [];
  for (const color of authorColors(svg, 'stroke')) {
    const lines = ['.edge *', `.node:not(.${ownFillClass}) *`, '.cluster *'];
    rules.push(rule(lines, 'stroke', color, mix(color, 50, 'white')));
  }
  for (const color of authorColors(svg, 'fill')) {
    const ink = ['.edge *', `.node:not(.${ownFillClass}) text`, '.cluster text'];
    rules.push(rule(ink, 'fill', color, mix(color, 50, 'white')));
    rules.push(
      rule(['.cluster path', '.cluster polygon'], 'fill', color, mix(color, 20, palettes.dark.page)),
    );
  }
  return rules;
}

type Property = (typeof properties)[number];

function authorColors(svg: string, property: Property): ReadonlySet<string> {
  const used = svg.matchAll(new RegExp(` ${property}="(#?[0-9a-z]+)"`, 'g'));
  const ours = new Set<string>([...[...colorPairs()].flat(), inkOnAuthorsFill, 'none', 'transparent']);
  return new Set([...used].map(([, color = '']) => color).filter((color) => !ours.has(color)));
}

function rule(elements: readonly string[], property: Property, color: string, dark: string): string {
  const selectors = elements.map((element) => `.attractor ${element}[${property}="${color}"]`);
  return `${selectors.join(',')}{${property}:${dark}}`;
}

function mix(color: string, percent: number, other: string): string {
  return `color-mix(in srgb,${color} ${percent}%,${other})`;
}
