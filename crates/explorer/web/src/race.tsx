// One race with its story.
import type { JSX } from 'preact';
import type { Access, End, Excerpt, RaceView } from './api';
import { Evidence } from './evidence';
import { At, Op, RaceLinks, Rule, Sentence } from './parts';
import { firstAfter, Thumbnail, usePictures } from './pictures';
import { Rails } from './rails';
import { adjust, link, route } from './route';
import { Timeline } from './timeline';

/** The order that the page shows: of this run, or the other one. */
export function order(): 'run' | 'other' {
  return route.value.params.get('order') === 'other' ? 'other' : 'run';
}

export function swap(): void {
  adjust({ order: order() === 'run' ? 'other' : null });
}

function One(): JSX.Element {
  return (
    <span class="one i">
      <span class="sr">first</span>
    </span>
  );
}

function Two(): JSX.Element {
  return (
    <span class="two i">
      <span class="sr">second</span>
    </span>
  );
}

/** One of the two ways in which a race may end; with a picture of the page after both accesses, if the run has any. */
function Ending({ end, op, hasPictures }: { end: End; op: number | undefined; hasPictures: boolean }): JSX.Element {
  const name = end.recorded ? 'run' : 'other';
  return (
    <label>
      <input
        type="radio"
        name="order"
        checked={order() === name}
        onChange={() => adjust({ order: name === 'run' ? null : name })}
      />
      <b>{end.recorded ? 'this run' : 'other order'}</b>
      <span class="seq">
        {end.first === 1 ? [<One key="1" />, ' → ', <Two key="2" />] : [<Two key="2" />, ' → ', <One key="1" />]}
      </span>
      <span class="v">
        {end.value === null ? (
          <>
            <i>unknown</i> <span class="dim">the recording has no value</span>
          </>
        ) : (
          <>
            <code>{end.value}</code> <span class="dim">{end.what}</span>
          </>
        )}
      </span>
      {hasPictures && <Thumbnail op={end.recorded ? op : undefined} name="The page after both accesses" />}
    </label>
  );
}

function Story({ view }: { view: RaceView }): JSX.Element {
  const story = view.story;
  const pictures = usePictures();
  const after = pictures[firstAfter(pictures, view.race.second.op)] ?? pictures.at(-1);
  return (
    <div class="story card">
      <section class="sure">
        <h2>Certain</h2>
        <ul>
          {story?.certain.map((certain) => (
            <li key={certain.text}>
              <Sentence text={certain.text} />{' '}
              {certain.rules.slice(0, 3).map((rule) => [<Rule key={rule} name={rule} />, ' '])}
            </li>
          ))}
          {!story?.certain.length && <li class="none">Nothing orders what led to the two accesses.</li>}
        </ul>
      </section>
      <section class="free">
        <h2>Free</h2>
        <p>
          <Sentence text={story?.free ?? view.race.why} />
        </p>
      </section>
      <section>
        <h2>So it may end as</h2>
        <div class="ends">
          {story?.ends.map((end) => (
            <Ending key={end.first} end={end} op={after} hasPictures={pictures.length > 0} />
          ))}
        </div>
        {story?.later_write != null && (
          <p class="dim">
            A later write, <Op op={story.later_write} />, comes after both in either order.
          </p>
        )}
        {!story && <p class="dim">A report alone does not have the values of other orders.</p>}
      </section>
    </div>
  );
}

function Code({ excerpt, side }: { excerpt: Excerpt; side: string }): JSX.Element {
  const at = excerpt.column === null ? -1 : excerpt.column - 1;
  const split = (line: string): [string, string, string] => {
    if (at < 0 || at >= line.length) return [line, '', ''];
    const word = /^[\w$]+/.exec(line.slice(at))?.[0] ?? line.charAt(at);
    return [line.slice(0, at), word, line.slice(at + word.length)];
  };
  return (
    <div class="src" role="group" aria-label={`${excerpt.file}, ${side} access`}>
      {excerpt.lines.map((line, i) => {
        const number = excerpt.start + i;
        const hit = number === excerpt.line;
        const [before, word, after] = hit ? split(line) : [line, '', ''];
        const marks = excerpt.marks.filter((mark) => mark.line === number);
        return (
          <div class={hit ? 'l hit' : 'l'} key={number}>
            <span class="marks">{marks.length > 0 && <i>{marks.at(-1)!.op}</i>}</span>
            <u>{number}</u>
            <span>
              {before}
              {word && <mark>{word}</mark>}
              {after}
            </span>
          </div>
        );
      })}
    </div>
  );
}

function Side({ view, which }: { view: RaceView; which: 0 | 1 }): JSX.Element {
  const access: Access = which === 0 ? view.race.first : view.race.second;
  const excerpt = view.excerpts[which];
  const frames = access.stack.filter((frame) => frame.kind !== 'framework');
  const folded = access.stack.length - frames.length;
  return (
    <section
      class={which === 0 ? 'side card' : 'side b card'}
      aria-label={which === 0 ? 'First access' : 'Second access'}
    >
      <header>
        <span class={which === 0 ? 'one' : 'two'}>{which === 0 ? 'First' : 'Second'}</span>
        <span>
          <Sentence text={view.accesses[which]} />
        </span>
        <span class="push dim">
          operation <Op op={access.op} /> · {access.thread}
        </span>
      </header>
      {excerpt ? (
        <Code excerpt={excerpt} side={which === 0 ? 'first' : 'second'} />
      ) : (
        <p class="src none dim">
          {access.source ? (
            <>
              <At source={access.source} /> is not below the recording's folder; <code>--source-root</code> names where
              sources are.
            </>
          ) : (
            'The recording does not say where in the code this is.'
          )}
        </p>
      )}
      <dl>
        <dt>from</dt>
        <dd>
          <ol class="chain">
            {view.causes[which].map((cause, i) => (
              <li key={i}>
                <Sentence text={cause} /> {access.causes[i]?.op != null && <Op op={access.causes[i]!.op!} />}
              </li>
            ))}
            {view.causes[which].length === 0 && <li class="dim">Nothing in the recording led to it.</li>}
          </ol>
        </dd>
        {access.stack.length > 0 && (
          <>
            <dt>stack</dt>
            <dd>
              {frames.slice(0, 6).map((frame, i) => (
                <span class="frame" key={i}>
                  <code>{frame.function}</code> <At source={frame.source} />
                </span>
              ))}
              {(folded > 0 || frames.length > 6) && (
                <span class="dim"> and {folded + Math.max(0, frames.length - 6)} more</span>
              )}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

const plural = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** A button that does what a key does. */
function Act({ of, children }: { of: string; children: string }): JSX.Element {
  return (
    <button type="button" onClick={() => dispatchEvent(new KeyboardEvent('keydown', { key: of }))}>
      {children} <kbd>{of}</kbd>
    </button>
  );
}

export function Race({ view }: { view: RaceView }): JSX.Element {
  const race = view.race;
  return (
    <article>
      <div class="head">
        <h1 tabIndex={-1}>
          <Sentence text={view.title} />
        </h1>
        <div class="acts">
          <Act of="y">Copy as Markdown</Act>
          <Act of="s">Suppress…</Act>
          <Act of="k">Previous</Act>
          <Act of="j">Next</Act>
        </div>
      </div>
      <p class="tags">
        <a class="chip" href={link('explain', race.class)}>
          {race.class}
        </a>
        {race.labels.map((label) => (
          <a class={view.harmful ? 'chip harm' : 'chip'} key={label} href={link('explain', label)}>
            {view.harmful && '▲ '}
            {label}
          </a>
        ))}
        <span class="dim">
          rank {race.rank}: {[...race.rank_reasons].join(', ')} ·{' '}
          {view.location === null ? (
            <code>{race.location}</code>
          ) : (
            <a href={link('location', view.location, { with: race.first.op })}>
              {plural(view.writes, 'write')}, {plural(view.reads, 'read')} of <code>{race.location}</code>
            </a>
          )}
          {view.excuse && ` · ${view.excuse}`}
        </span>
        <span class="push op">{race.fingerprint}</span>
      </p>
      {race.hints.map((hint) => (
        <p class="advice" key={hint.kind}>
          <a class="chip hint" href={link('explain', hint.kind)}>
            {hint.kind}
          </a>{' '}
          <Sentence text={hint.message} />
        </p>
      ))}
      <Evidence view={view} />
      <Story view={view} />
      <div class="sides">
        <Side view={view} which={0} />
        <Side view={view} which={1} />
      </div>
      <div class="below">
        <Timeline race={view} />
        <section class="card" aria-label="Why nothing orders them">
          <div class="bar">
            <h2>
              Why nothing orders <One /> and <Two />
            </h2>
            <a class="push dim" href={link('pick', `${race.first.op},${race.second.op}`)}>
              pick two <kbd>p</kbd>
            </a>
          </div>
          {view.rails ? (
            <Rails key={`${race.id}`} rails={view.rails} />
          ) : (
            <p class="none dim">A report alone has no order to look into.</p>
          )}
        </section>
      </div>
      <div class="more">
        <RaceLinks title="Covered by" races={view.covered_by} />
        <RaceLinks title="Covers" races={view.covers} />
        <RaceLinks title="Others of this group" races={view.others} />
        <p class="dim">
          In a terminal: <code>{view.order_command}</code>
        </p>
      </div>
    </article>
  );
}
