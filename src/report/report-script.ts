/**
 * Script of a report, which also works without it. It opens the target of a link, folds and unfolds all
 * visits at once, copies values, and unfolds everything for the printer.
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
  const offerCopies = (within) => {
    for (const value of within.querySelectorAll('[data-copy]:not(:has(.copy))')) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.setAttribute('aria-label', 'Copy ' + value.dataset.copy);
      button.addEventListener('click', async () => {
        const text = (value.querySelector('pre, .tree') ?? value).textContent;
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        } catch {
          button.textContent = 'Cannot copy';
        }
      });
      value.append(button);
    }
  };
  if (navigator.clipboard !== undefined) {
    document.addEventListener('toggle', ({ target }) => target.open && offerCopies(target), true);
    offerCopies(document.getElementById('summary')?.parentElement ?? document.createElement('div'));
  }
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
