interface BannedPhrase {
  /** The case of letters does not count, and a space is any white space. */
  readonly phrase: string;
  /** Words to write instead. */
  readonly instead: string;
  /** Uses that are plain English. */
  readonly except?: string;
}

/** Phrases that read as translated. */
const bannedPhrases: readonly BannedPhrase[] = [
  {
    phrase: 'behind',
    instead: 'after',
    except:
      '(?:left|leaves?|leaving) (?:\\S+ )?behind|behind (?:an?|one|the|any|its) (?:[\\w-]+ )?(?:proxy|tunnel|address)',
  },
  { phrase: 'beside', instead: 'besides, next to' },
  {
    phrase: '(?:is|are|was|were) (?:no|none)',
    instead: 'is not a, is not one of',
    except: 'there (?:is|are|was|were) (?:no|none)|(?:is|are|was|were) no longer',
  },
  { phrase: '(?:that|which|what) (?:is|are) none', instead: 'say what it is instead' },
  { phrase: 'told', instead: 'sent, shown, reported, configured', except: 'told apart' },
  { phrase: 'hears?|heard', instead: 'receives, responds, learns' },
  { phrase: '(?:go(?:es|ing)?|went|gone) on', instead: 'continues, happens' },
  { phrase: '(?:stands?|stood|standing) for', instead: 'is, means, is replaced by' },
  { phrase: 'anew|afresh|unasked', instead: 'again, by itself' },
  { phrase: 'by halves', instead: 'partial' },
  { phrase: 'once more', instead: 'again' },
  { phrase: 'go(?:es)? before', instead: 'takes precedence over, overrides' },
  { phrase: '(?:takes?|taken|taking|took) (?:\\S+ )?(?:in by|up)', instead: 'merge, resume, accept' },
  { phrase: 'fits? together', instead: 'conflict, match' },
  { phrase: 'puts? together', instead: 'builds' },
  { phrase: '(?:is|are) to be', instead: 'should be, will be' },
  { phrase: '(?:is|are|be) said', instead: 'name who says it' },
  { phrase: 'the ones? who', instead: 'name the person or the process' },
  {
    phrase: 'as far as',
    instead: 'if, up to',
    except: 'as far as (?:possible|\\w+ (?:can|could))|(?:get|got) as far as',
  },
  { phrase: 'therewith|thereby|thereof|therein|wherein|whereby|whereupon', instead: 'a new sentence' },
  { phrase: '(?:comes?|came) to (?:its|their|an) end', instead: 'ends' },
  { phrase: 'what (?:does|do) the work', instead: 'backend' },
  { phrase: 'words? of (?:its|their) own', instead: 'custom outcome' },
  { phrase: 'left to chance', instead: 'random' },
  { phrase: 'cannot run away', instead: 'linear-time' },
  { phrase: '(?:the )?cause is gone', instead: 'after you fix the cause' },
  { phrase: 'nobody (?:executes|knows)', instead: 'no process executes; unknown' },
  { phrase: 'settled without', instead: 'answered elsewhere' },
  { phrase: 'without a word', instead: 'silently' },
  { phrase: 'lets? go of', instead: 'releases, closes' },
  { phrase: '(?:that|which|what) is meant', instead: 'intended' },
  { phrase: 'is known of', instead: 'follows from' },
  { phrase: 'in one sitting', instead: 'on one page' },
  { phrase: 'wants? (?:to be|a|an|no|its|their)', instead: 'needs, requires, should' },
  { phrase: 'whose (?!turn)\\S+ (?:it|this|that) is', instead: 'a noun' },
  { phrase: 'of what (?:it|they|he|she)|that what', instead: 'a noun' },
];

const rows = bannedPhrases.map(({ phrase, instead, except }) => ({
  phrase: patternOf(phrase),
  instead,
  except: except === undefined ? undefined : patternOf(except),
}));

function patternOf(words: string): RegExp {
  return new RegExp(`\\b(?:${words.replaceAll(' ', '\\s+')})\\b`, 'gi');
}

/** The banned phrases of a text: `line: phrase (write: …)`. Phrases are found across line breaks, too. */
export function findBannedPhrases(text: string): readonly string[] {
  const words = text.replace(lineStart, blank);
  return rows.flatMap(({ phrase, instead, except }) => {
    const searched = except === undefined ? words : words.replace(except, blank);
    return [...searched.matchAll(phrase)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${line}: "${found.replace(/\s+/g, ' ')}" (write: ${instead})`;
    });
  });
}

/** The mark of a comment or of a quotation at the beginning of a line. */
const lineStart = /^[ \t]*(?:\*(?!\/)|\/\/|>)/gm;

/** White space of the same length and with the same line breaks. */
function blank(text: string): string {
  return text.replace(/\S/g, ' ');
}
