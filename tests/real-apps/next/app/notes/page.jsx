import Link from 'next/link';
import Notes from './notes';

export const dynamic = 'force-dynamic';

export default function Page() {
  return (
    <main>
      <h1>Notes</h1>
      <Notes />
      <Link id="to-home" href="/">
        Home
      </Link>
    </main>
  );
}
