import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../ui/button.jsx';
import { EmptyState } from '../ui/empty-state.jsx';
import { Loading } from '../ui/loading.jsx';
import './playground.css';

type Loaded =
  | { readonly kind: 'page'; readonly Page: ComponentType }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' };

/** Playground, whose editor and compiler are loaded on the first visit. */
export function LazyPlayground() {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  useEffect(() => {
    let isThere = true;
    import('./playground-page.jsx').then(
      ({ PlaygroundPage }) => isThere && setLoaded({ kind: 'page', Page: PlaygroundPage }),
      () => isThere && setLoaded({ kind: 'failed' }),
    );
    return () => {
      isThere = false;
    };
  }, []);
  switch (loaded.kind) {
    case 'page':
      return <loaded.Page />;
    case 'loading':
      return <Loading what="the editor" screen="Playground" />;
    case 'failed':
      return (
        <EmptyState title="The editor could not be loaded" icon="lost" isScreen>
          <p>The server may have stopped, or been replaced by another version since this page was opened.</p>
          <Button onClick={() => location.reload()}>Load the page again</Button>
        </EmptyState>
      );
  }
}
