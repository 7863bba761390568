package kt

import android.os.AsyncTask
import interloper.robust.Driver
import interloper.robust.Tasks

/** Notes that are saved in the background, with what Kotlin adds to Java: the compiler makes classes of it. */
data class Note(val id: Int, var text: String, val tags: List<String> = emptyList())

/** A sealed hierarchy, which `when` distinguishes. */
sealed class Action {
    data class Edit(val text: String) : Action()
    data class Tag(val tag: String) : Action()
    object Clear : Action()
}

enum class Order { BY_ID, BY_TEXT }

class Notes(private val repaired: Boolean) {
    private val notes = mutableMapOf<Int, Note>()
    private var shown: List<Note> = emptyList()
    private var status: String? = null
    private val title by lazy { "notes of $OWNER" }
    private var order = Order.BY_ID

    init {
        (1..3).forEach { notes[it] = Note(it, "note $it") }
    }

    companion object {
        const val OWNER = "me"
        var created = 0
            private set

        @JvmStatic
        fun create(repaired: Boolean): Notes {
            created++
            return Notes(repaired)
        }
    }

    private fun Note.short() = text.take(4) + (tags.firstOrNull() ?: "")

    fun onAction(id: Int, action: Action) {
        val note = notes[id] ?: return
        notes[id] = when (action) {
            is Action.Edit -> note.copy(text = action.text)
            is Action.Tag -> note.copy(tags = note.tags + action.tag)
            Action.Clear -> Note(id, "")
        }
    }

    fun onSave() {
        val seen = if (repaired) notes.values.toList() else null
        status = "saving ${notes.size}"
        Tasks.any {
            val saved = (seen ?: notes.values.toList()).filter { it.text.isNotEmpty() }.joinToString { it.short() }
            Tasks.main { status = "$title: $saved" }
        }
    }

    fun onShow() {
        shown = when (order) {
            Order.BY_ID -> notes.values.sortedBy { it.id }
            Order.BY_TEXT -> notes.values.sortedBy { it.text }
        }
    }

    inner class CountTask : AsyncTask<Int, Void, Int>() {
        override fun doInBackground(vararg params: Int?): Int = params.sumOf { it ?: 0 }

        override fun onPostExecute(result: Int?) {
            status = result?.let { "counted $it" } ?: "nothing"
        }
    }

    fun onCount() {
        CountTask().execute(notes.size, created)
    }
}

/** A singleton whose state is changed by two tasks of one event. */
object Counter {
    private var count = 0
    private val lock = Any()

    fun add(n: Int) = synchronized(lock) { count += n }

    fun addUnlocked(n: Int) {
        count += n
    }
}

object Broken {
    @JvmStatic
    fun main(driver: Driver) {
        val notes = Notes.create(false)
        driver.event("save", notes::onSave)
        driver.event("edit") { notes.onAction(2, Action.Edit("changed")) }
    }
}

object Repaired {
    @JvmStatic
    fun main(driver: Driver) {
        val notes = Notes.create(true)
        driver.event("save", notes::onSave)
        driver.event("edit") { notes.onAction(2, Action.Tag("changed")) }
        driver.event("show") { notes.onShow() }
    }
}

object Counts {
    @JvmStatic
    fun main(driver: Driver) {
        val notes = Notes.create(true)
        driver.event("count", notes::onCount)
        driver.event("clear") { notes.onAction(1, Action.Clear) }
    }
}

object Singleton {
    @JvmStatic
    fun main(driver: Driver) {
        driver.event("add") {
            Tasks.any { Counter.addUnlocked(1) }
            Tasks.any { Counter.add(2) }
        }
    }
}

object Locked {
    @JvmStatic
    fun main(driver: Driver) {
        driver.event("one") { Tasks.any { Counter.add(1) } }
        driver.event("two") { Tasks.any { Counter.add(2) } }
    }
}
