import { adoptSvg } from '../../../src/web/run/graph/adopt-svg.ts';

/** Puts a drawing on the page as the graph of a run does, and says what is there then. */
globalThis.adopt = (text) => {
  const adopted = adoptSvg(text);
  if (adopted === undefined) return undefined;
  document.body.append(adopted.svg);
  const all = [...adopted.svg.querySelectorAll('*')];
  return {
    elements: [...new Set(all.map(({ localName }) => localName))].sort(),
    attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))].sort(),
    text: adopted.svg.textContent,
    groups: [...adopted.groups.keys()],
  };
};
