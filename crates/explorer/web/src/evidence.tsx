// What replays have shown of a race: the verdict, what differs, and both pictures.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Difference, RaceView, Replay } from './api';
import { Sentence } from './parts';

/** The kinds of differences, the worst first, each with its heading. */
const KINDS: [string, string][] = [
  ['errors', 'error'],
  ['lost', 'lost'],
  ['text', 'text'],
  ['dom', 'document'],
  ['storage', 'state'],
  ['requests', 'requests'],
];

/** How many differences are shown at first. */
const SHOWN = 6;

/** A picture with the parts that differ framed. Only pictures that the report contains are shown. */
function Picture({ source, name, changed }: { source: string; name: string; changed: number[][] }): JSX.Element | null {
  const [size, setSize] = useState<[number, number] | null>(null);
  if (!source.startsWith('data:image/png;base64,')) return null;
  const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <div class="picture">
        <img
          src={source}
          alt={`The page in the ${name}`}
          onLoad={(event) => setSize([event.currentTarget.naturalWidth, event.currentTarget.naturalHeight])}
        />
        {size &&
          changed.map(([left, top, width, height], i) => (
            <i
              key={i}
              ref={(frame) => {
                if (!frame) return;
                frame.style.left = percent(left!, size[0]);
                frame.style.top = percent(top!, size[1]);
                frame.style.width = percent(Math.min(width!, size[0] - left!), size[0]);
                frame.style.height = percent(Math.min(height!, size[1] - top!), size[1]);
              }}
            />
          ))}
      </div>
    </figure>
  );
}

function Differences({ replay }: { replay: Replay }): JSX.Element | null {
  const [all, setAll] = useState(false);
  const rows: [string, Difference][] = KINDS.flatMap(([key, word]) =>
    (replay.diff[key] ?? []).map((one): [string, Difference] => [word, one]),
  );
  if (rows.length === 0) return null;
  const value = (text: string | null) => (text === null ? <i class="dim">nothing</i> : <code>{text}</code>);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th>what</th>
            <th>recorded order</th>
            <th>other order</th>
          </tr>
        </thead>
        <tbody>
          {(all ? rows : rows.slice(0, SHOWN)).map(([word, one], i) => (
            <tr key={i}>
              <td>
                <span class="dim">{word}</span> <code>{one.path}</code>
              </td>
              <td>{value(one.recorded)}</td>
              <td>{value(one.flipped)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!all && rows.length > SHOWN && (
        <button type="button" onClick={() => setAll(true)}>
          {rows.length - SHOWN} more differences
        </button>
      )}
    </>
  );
}

export function Evidence({ view }: { view: RaceView }): JSX.Element | null {
  const replay = view.race.replay;
  if (!replay && !view.replay_command) return null;
  if (!replay) {
    return (
      <p class="advice dim">
        Not replayed. <code>{view.replay_command}</code> runs the page again with the two events in the other order.
      </p>
    );
  }
  const isHarmful = replay.verdict === 'harmful';
  const pictures = replay.pictures;
  return (
    <section class="evidence card" aria-label="What replays have shown">
      <h2>
        <span class={isHarmful ? 'chip harm' : 'chip'}>
          {isHarmful ? '▲ shown harmful' : replay.verdict}
          {replay.kind && `: ${replay.kind}`}
        </span>
      </h2>
      {[view.held, ...replay.notes].map(
        (line) =>
          line && (
            <p key={line}>
              <Sentence text={line} />
            </p>
          ),
      )}
      {pictures && (
        <div class="pictures">
          <Picture source={pictures.recorded} name="recorded order" changed={[]} />
          <Picture source={pictures.flipped} name="other order" changed={pictures.changed} />
        </div>
      )}
      <Differences replay={replay} />
      {replay.masked > 0 && (
        <p class="dim">{replay.masked} differences are noise: the recorded order shows them too.</p>
      )}
    </section>
  );
}
