/**
 * Script of a report, which also works without it. It opens the target of a link, folds and unfolds all
 * visits at once, and unfolds everything for the printer.
 */
export const reportScript = `
(() => {
  const all = () => [...document.querySelectorAll('main details')];
  const reveal = () => {
    let found = null;
    try {
      found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return;
    }
    for (let one = found; one !== null; one = one.parentElement) {
      if (one instanceof HTMLDetailsElement) one.open = true;
    }
    if (found !== null) found.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  if (location.hash !== '') reveal();
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = all().filter((one) => !one.open);
    for (const one of folded) one.open = true;
  });
  addEventListener('afterprint', () => {
    for (const one of folded) one.open = false;
  });
  const place = document.getElementById('folding');
  for (const [text, open] of [['Unfold all', true], ['Fold all', false]]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.addEventListener('click', () => {
      for (const one of document.querySelectorAll('details.visit, details.child')) one.open = open;
    });
    place.append(button);
  }
})();
`;
