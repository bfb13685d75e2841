import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from '../../ui/loading.jsx';
import type { ConversationProps } from './conversation.jsx';
import './conversation.css';

/** Conversation of a stage, whose reader of Markdown is loaded when the first one is opened. */
export function LazyConversation(props: ConversationProps) {
  const [loaded, setLoaded] = useState<ComponentType<ConversationProps> | 'failed'>();
  useEffect(() => {
    let isThere = true;
    import('./conversation.jsx').then(
      ({ Conversation }) => isThere && setLoaded(() => Conversation),
      () => isThere && setLoaded('failed'),
    );
    return () => {
      isThere = false;
    };
  }, []);
  if (loaded === undefined) return <Loading what="the conversation" />;
  if (loaded === 'failed')
    return (
      <p class="notice" data-state="failed">
        This part of the page could not be loaded: the server may have stopped, or been replaced by another
        version. Load the page again.
      </p>
    );
  const Conversation = loaded;
  return <Conversation {...props} />;
}
