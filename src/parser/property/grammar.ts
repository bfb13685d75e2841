import { EmbeddedActionsParser, type IToken, type ParserMethod } from 'chevrotain';
import { adoptDecisions } from '../lookahead/adopt-decisions.js';
import { type GrammarOptions, parserConfig } from '../lookahead/grammar-options.js';
import { spanOf } from '../quoted-text.js';
import type { Events, Name, Property, Result, StageEvent, Stages } from './ast.js';
import {
  After,
  AtMost,
  Before,
  Class,
  Comma,
  Completes,
  Equals,
  EveryRunThat,
  Failed,
  Has,
  Integer,
  MoreThan,
  Never,
  No,
  OfClass,
  OnlyAfter,
  Or,
  Passed,
  propertyTokens,
  Reaches,
  SinceTheLast,
  StageWord,
  Text,
  TheEnd,
  Word,
} from './tokens.js';

type Rule<Result> = ParserMethod<[], Result>;

interface Limit {
  readonly limit: number;
  readonly counted: Events;
  readonly before: Events | undefined;
}

const passed: Result = { kind: 'passed' };

/** The grammar of properties (docs/properties.md). */
export class PropertyParser extends EmbeddedActionsParser {
  constructor(options: GrammarOptions) {
    super([...propertyTokens], parserConfig(options));
    if (options.decisions === undefined) this.performSelfAnalysis();
    else adoptDecisions(this, propertyTokens, options.decisions);
  }

  /** @returns undefined where the parser has recorded an error */
  parse(tokens: IToken[]): Property | undefined {
    this.input = tokens;
    return this.property();
  }

  /** Property ::= EveryRun | After | Limit | Only */
  readonly property: Rule<Property> = this.RULE('property', () =>
    this.OR<Property>([
      { ALT: () => this.SUBRULE(this.everyRun) },
      { ALT: () => this.SUBRULE(this.after) },
      {
        ALT: (): Property => {
          const limit = this.SUBRULE(this.limit);
          return { kind: 'bound', after: undefined, ...limit };
        },
      },
      { ALT: () => this.SUBRULE(this.only) },
    ]),
  );

  /** EveryRun ::= 'every' 'run' 'that' ( 'completes' | 'reaches' Events ) 'has' 'passed'? Events Since? */
  readonly everyRun: Rule<Property> = this.RULE('everyRun', () => {
    let events: Events | 'completion' = 'completion';
    this.CONSUME(EveryRunThat);
    this.OR([
      { ALT: () => this.CONSUME(Completes) },
      {
        ALT: () => {
          this.CONSUME(Reaches);
          events = this.SUBRULE(this.events);
        },
      },
    ]);
    this.CONSUME(Has);
    const isPassed = this.OPTION(() => this.CONSUME(Passed)) !== undefined;
    const required = this.SUBRULE2(this.events);
    const since = this.OPTION2(() => this.SUBRULE(this.since));
    return this.ACTION((): Property => {
      const judged = isPassed ? required.map((one) => ({ ...one, result: one.result ?? passed })) : required;
      return { kind: 'precedence', events, required: judged, since };
    });
  });

  /** After ::= 'after' Events ','? ( Limit | Events 'before' ( 'the' 'end' | Events ) ) */
  readonly after: Rule<Property> = this.RULE('after', () => {
    this.CONSUME(After);
    const trigger = this.SUBRULE(this.events);
    this.OPTION(() => this.CONSUME(Comma));
    return this.OR<Property>([
      {
        ALT: (): Property => {
          const limit = this.SUBRULE(this.limit);
          return { kind: 'bound', after: trigger, ...limit };
        },
      },
      {
        ALT: (): Property => {
          const required = this.SUBRULE2(this.events);
          this.CONSUME(Before);
          const before = this.OR2<Events | 'completion'>([
            {
              ALT: (): 'completion' => {
                this.CONSUME(TheEnd);
                return 'completion';
              },
            },
            { ALT: () => this.SUBRULE3(this.events) },
          ]);
          return { kind: 'response', trigger, required, before };
        },
      },
    ]);
  });

  /** Limit ::= ( ( 'never' | 'no' ) ( 'more' 'than' Integer )? | 'at' 'most' Integer ) Events ( 'before' Events )? */
  readonly limit: Rule<Limit> = this.RULE('limit', () => {
    const limit = this.OR([
      {
        ALT: () => {
          this.OR2([{ ALT: () => this.CONSUME(Never) }, { ALT: () => this.CONSUME(No) }]);
          const most = this.OPTION(() => {
            this.CONSUME(MoreThan);
            return this.CONSUME(Integer);
          });
          return this.ACTION(() => Number(most?.image ?? 0));
        },
      },
      {
        ALT: () => {
          this.CONSUME(AtMost);
          const most = this.CONSUME2(Integer);
          return this.ACTION(() => Number(most.image));
        },
      },
    ]);
    const counted = this.SUBRULE(this.events);
    const before = this.OPTION2(() => {
      this.CONSUME(Before);
      return this.SUBRULE2(this.events);
    });
    return { limit, counted, before };
  });

  /** Only ::= Events 'only' 'after' Events Since? */
  readonly only: Rule<Property> = this.RULE('only', () => {
    const events = this.SUBRULE(this.events);
    this.CONSUME(OnlyAfter);
    const required = this.SUBRULE2(this.events);
    const since = this.OPTION(() => this.SUBRULE(this.since));
    return this.ACTION((): Property => ({ kind: 'precedence', events, required, since }));
  });

  /** Since ::= 'since' 'the' 'last' Events */
  readonly since: Rule<Events> = this.RULE('since', () => {
    this.CONSUME(SinceTheLast);
    return this.SUBRULE(this.events);
  });

  /** Events ::= Event ( 'or' Event )* */
  readonly events: Rule<Events> = this.RULE('events', () => {
    const events: StageEvent[] = [];
    this.AT_LEAST_ONE_SEP({
      SEP: Or,
      DEF: () => {
        events.push(this.SUBRULE(this.event));
      },
    });
    return events;
  });

  /** Event ::= Stages ( '=' ( Name | 'no' ) | 'passed' | 'failed' )? */
  readonly event: Rule<StageEvent> = this.RULE('event', () => {
    const first = this.LA(1);
    const stages = this.SUBRULE(this.stages);
    const result = this.OPTION(() =>
      this.OR<Result>([
        {
          ALT: (): Result => {
            this.CONSUME(Equals);
            const word = this.OR2<Name>([
              { ALT: () => this.SUBRULE(this.name) },
              { ALT: () => this.#nameOf(this.CONSUME(No)) },
            ]);
            return { kind: 'word', word };
          },
        },
        {
          ALT: (): Result => {
            this.CONSUME(Passed);
            return passed;
          },
        },
        {
          ALT: (): Result => {
            this.CONSUME(Failed);
            return { kind: 'failed' };
          },
        },
      ]),
    );
    const last = this.LA(0);
    return this.ACTION(() => ({
      stages,
      result,
      span: { start: spanOf(first).start, end: spanOf(last).end },
    }));
  });

  /** Stages ::= 'class' Name | StageWord OfClass? | Name ( StageWord OfClass? )? */
  readonly stages: Rule<Stages> = this.RULE('stages', () =>
    this.OR<Stages>([
      {
        ALT: (): Stages => {
          this.CONSUME(Class);
          return { kind: 'all', sort: undefined, ofClass: this.SUBRULE(this.name) };
        },
      },
      {
        ALT: (): Stages => {
          this.CONSUME(StageWord);
          return { kind: 'all', sort: undefined, ofClass: this.OPTION(() => this.SUBRULE(this.ofClass)) };
        },
      },
      {
        ALT: (): Stages => {
          const name = this.SUBRULE2(this.name);
          const all = this.OPTION2((): Stages => {
            this.CONSUME2(StageWord);
            return { kind: 'all', sort: name, ofClass: this.OPTION3(() => this.SUBRULE2(this.ofClass)) };
          });
          return all ?? { kind: 'named', name };
        },
      },
    ]),
  );

  /** OfClass ::= 'of' 'class' Name */
  readonly ofClass: Rule<Name> = this.RULE('ofClass', () => {
    this.CONSUME(OfClass);
    return this.SUBRULE(this.name);
  });

  /** Name ::= Word | Integer | String */
  readonly name: Rule<Name> = this.RULE('name', () =>
    this.OR<Name>([
      { ALT: () => this.#nameOf(this.CONSUME(Word)) },
      { ALT: () => this.#nameOf(this.CONSUME(Integer)) },
      { ALT: () => this.#nameOf(this.CONSUME(Text)) },
    ]),
  );

  #nameOf(token: IToken): Name {
    return this.ACTION((): Name => {
      const { image, tokenType } = token;
      const text = tokenType === Text ? image.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : image;
      return { text, span: spanOf(token) };
    });
  }
}
