package interloper.robust.code;

/** A place in the code that is reported to the exploration: an access, a monitor, a loop or a call. */
public final class Site {
    /** What is accessed if only a call that takes it is known. */
    public static final String ARGUMENT = "argument";

    /** The number of the site, which the instrumented code passes to the hooks. */
    public final int id;
    /** The method, as {@code Class.method}. */
    public final String method;
    /** The source file, and the line in it, or 0 if the class file does not state it. */
    public final String file;
    public final int line;
    /** The field, the kind of element, the library class, or the called method. */
    public final String what;
    /** The number of the field. Equal numbers and objects mean equal locations. */
    public final int field;
    public final boolean write;

    Site(int id, String method, String file, int line, String what, int field, boolean write) {
        this.id = id;
        this.method = method;
        this.file = file;
        this.line = line;
        this.what = what;
        this.field = field;
        this.write = write;
    }

    /** {@code File.java:12}, or the file alone if the line is unknown. */
    public String place() {
        return line == 0 ? file : file + ":" + line;
    }
}
