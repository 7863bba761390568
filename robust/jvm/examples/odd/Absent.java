package odd;

/** The test removes the class file. */
class Absent {
    void run() {}
}
