import Image from 'next/image';
import Link from 'next/link';
import Counter from './counter';
import styles from './page.module.css';

export default function Home() {
  return (
    <div className={styles.page}>
      <main className={styles.main}>
        <Image className={styles.logo} src="/next.svg" alt="Next.js logo" width={100} height={20} priority />
        <Counter />
        <Link id="to-notes" href="/notes">
          Notes
        </Link>
      </main>
    </div>
  );
}
